/*
 * Discovery: which processes have a device open, which of the files that they execute are
 * TT-Metal, and what has changed since the last scan.
 *
 * Files and memory of other users may block. They are read by the worker pool in two rounds:
 * files, then memory. A read that misses the deadline is skipped, and not repeated while it is
 * still blocked. Between two scans nothing else runs.
 *
 * The steps share struct scan_state; device_holder.h, file_attach.h, readback.h and role.h have
 * one step each.
 */
#pragma once

#include "trace/device_holder.h"
#include "trace/readback.h"

#include <sys/types.h>

struct role_watch;

struct trace_scan {
	struct scan_state state;
	struct library_search *replaced[TRACE_LIBRARIES]; /* of the paths of attached libraries */
	struct device_holder *holders;			  /* by pid */
	size_t n_holders;
	struct readback readback;
	struct role_watch *roles;
};

/* is_repeated: more scans follow, so that none of them needs to wait long for an answer. */
MUST_CHECK int scan_init(struct trace_scan *scan, struct tracer *tracer, bool is_repeated);

/* False if a job is still blocked: the memory that it uses is kept, the caller should exit. */
bool scan_done(struct trace_scan *scan);

/* To be called first, under the lock: reads what other tracers have changed. */
MUST_CHECK int scan_begin(struct trace_scan *scan);

/*
 * Attaches to a file that the user named. The state says why it is not attached to, or has
 * is_metal unset. -errno: the file cannot be read.
 */
MUST_CHECK int scan_file(struct trace_scan *scan, const char *path, struct file_state *ret);

/* All holders as they are now: attaches, enters and removes processes, reads back memory. */
MUST_CHECK int scan_run(struct trace_scan *scan, struct buf *problem);
