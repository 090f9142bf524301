/*
 * Discovery: who holds a device, which of the files that they execute are TT-Metal,
 * and what has changed since the last time.
 *
 * What touches files or memory of strangers is done by a worker pool, in two rounds: files,
 * then memory. Who does not answer in time is passed over, and is asked no second time
 * while it has not answered; between two scans nothing else runs.
 */
#pragma once

#include "trace/holder.h"
#include "trace/readback.h"

#include <sys/types.h>

struct role_watch;

struct scan {
	struct tracer *tracer;
	struct files files;
	struct trace_library libraries[TRACE_LIBRARIES];
	struct look *places[TRACE_LIBRARIES]; /* what is where they were */
	struct holder *holders;		      /* by pid */
	size_t n_holders;
	struct readback readback;
	struct role_watch *roles;

	struct worker_pool *workers;
	struct job **jobs; /* of the next round */
	size_t n_jobs, room;
	int64_t wait;	  /* for each job, ns */
	int64_t patience; /* until who does not answer is said not to, ns */
};

/* stays: there will be other scans, so that none needs to wait long. */
MUST_CHECK int scan_init(struct scan *scan, struct tracer *tracer, bool stays);

/* false: somebody is still held, and what it uses must stay; the caller had better end. */
bool scan_done(struct scan *scan);

/* To be called first, under the lock: what others did since. */
MUST_CHECK int scan_begin(struct scan *scan);

/* A file that was named. problem: why it is not attached to; NULL: it is. -errno: of the file. */
MUST_CHECK int scan_file(struct scan *scan, const char *path, const char **problem);

/* All holders as they are now: attaches, enters, forgets, reads back. */
MUST_CHECK int scan_run(struct scan *scan, struct buf *problem);

/* A job for the next round; and the round. */
MUST_CHECK int scan_add(struct scan *scan, struct job *job);
void scan_round(struct scan *scan);
