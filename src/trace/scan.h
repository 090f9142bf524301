/*
 * Finds the processes that have a device open, the files of TT-Metal that they execute, and what
 * has changed since the last scan.
 *
 * Reading files and memory of other users may block. The worker pool reads them in two rounds:
 * files, then memory. A read that misses the deadline is skipped, and not repeated while it is
 * still blocked; apart from such reads, no job of a scan runs between two scans.
 *
 * The steps share struct scan_state; device_holder.h, file_attach.h, readback.h and role.h have one
 * step each.
 */
#pragma once

#include "trace/device_holder.h"
#include "trace/readback.h"

#include <sys/types.h>

struct program_sampler;
struct role_watch;

struct trace_scan {
	struct scan_state state;
	struct library_search *replaced[TRACE_LIBRARIES]; /* of the paths of attached libraries */
	struct device_holder *holders;			  /* by pid */
	size_t n_holders;
	struct readback readback;
	struct role_watch *roles;
	struct program_sampler *programs; /* NULL: utilisation is not sampled */
};

/* is_repeated: more scans follow, so none of them needs to wait long. */
MUST_CHECK int scan_init(struct trace_scan *scan, struct tracer *tracer, bool is_repeated);

/* False if a job is still blocked: the memory that it uses is not freed, the caller should exit. */
bool scan_done(struct trace_scan *scan);

/* To be called first, under the lock: reads what other tracers have changed. */
MUST_CHECK int scan_begin(struct trace_scan *scan);

/*
 * Attaches to a file that the user named. The state says why it has no probes, or has is_metal
 * unset. -errno: the file cannot be read.
 */
MUST_CHECK int scan_file(struct trace_scan *scan, const char *path, struct file_state *ret);

/* Scans all holders: attaches, adds and removes processes, reads back memory. */
MUST_CHECK int scan_run(struct trace_scan *scan, struct buf *problem);
