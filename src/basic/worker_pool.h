/*
 * Work that may block for ever, with a deadline.
 *
 * A read of a driver's file can wait for a reset, a firmware answer or a dead
 * chip, and no signal ends it. So such reads are jobs, done one after the other
 * by a thread of their own while the caller watches. In the ordinary case one
 * worker does them all. A job that makes no progress for a moment gets its
 * worker to itself, and another worker goes on with the rest; a job past the
 * deadline is given up, and whoever asked goes on without it.
 *
 *	caller:  run ──────────────wait──────────────┐ late: job 1
 *	worker:   job 0 │ job 1 ...................... (still blocked)
 *	worker:               │ job 2 │ job 3 │ …
 *
 * A job that was given up still runs: its memory must stay where it is until
 * job_is_busy() says no. Cost of the ordinary case: one thread, started once.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct worker_pool;

struct job {
	void (*run)(void *arg);
	void *arg;
	struct job *next; /* these belong to the worker pool */
	int state;
	bool done;
	int64_t started;
};

MUST_CHECK int worker_pool_new(struct worker_pool **ret);

/* Ends idle workers. Blocked ones are left to themselves; the last of them frees the worker pool.
 */
struct worker_pool *worker_pool_free(struct worker_pool *pool);

/* Does a job that was given up still run? Then what it uses must stay. */
bool worker_pool_is_blocked(struct worker_pool *pool);

/*
 * Runs jobs, none of which may be busy, in order. Returns when each is done or
 * has run for longer than the deadline; true if all are done.
 */
bool worker_pool_run(struct worker_pool *pool, struct job *const *jobs, size_t count,
		     int64_t deadline_ns);

/*
 * One job by a thread of its own. -ETIMEDOUT: it was given up and may still run, so what it
 * uses, the job included, must stay for ever. -ENOMEM: it was not begun.
 */
MUST_CHECK int job_run_once(struct job *job, int64_t deadline_ns);

/* Has it run to its end since it was last handed to worker_pool_run()? */
bool job_is_done(struct worker_pool *pool, const struct job *job);

/* Is it still running, given up by an earlier worker_pool_run()? */
bool job_is_busy(struct worker_pool *pool, const struct job *job);
