/*
 * A worker pool with deadlines, for calls that may block without a limit.
 *
 * Reading a driver's file can wait for a reset, a firmware reply or a dead chip, and no signal
 * interrupts it. So such reads are jobs, run sequentially by a worker thread while the caller
 * waits. Usually one worker runs them all. If a job takes longer than 20 ms, another worker
 * continues with the rest; a job past its deadline is abandoned, and the caller continues without
 * it.
 *
 *         caller:  run ──────────────wait──────────────┐ late: job 1
 *         worker:   job 0 │ job 1 ...................... (still blocked)
 *         worker:               │ job 2 │ job 3 │ …
 *
 * An abandoned job still runs: its memory must stay valid until job_is_busy() returns false. Usual
 * cost: one thread, started once, and two context switches per run. A program that gives a single
 * answer avoids both with a standby (basic/standby.h).
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
	struct job *next; /* this and the members below belong to the pool */
	int state;
	bool done;
	int64_t started;
};

MUST_CHECK int worker_pool_new(struct worker_pool **ret);

/*
 * For a single answer: worker_pool_run() runs the jobs on the calling thread, and take_over(arg)
 * is called on another one if that thread hangs (basic/standby.h). It must end the program.
 */
void worker_pool_use_standby(struct worker_pool *pool, void (*take_over)(void *arg), void *arg);

/* No more jobs will be run. Does not return if the standby has taken over. */
void worker_pool_end_standby(struct worker_pool *pool);

/* Ends idle workers. If workers are blocked, the last of them frees the pool. */
struct worker_pool *worker_pool_free(struct worker_pool *pool);

/* Is an abandoned job still running? Then the memory that it uses must stay valid. */
bool worker_pool_is_blocked(struct worker_pool *pool);

/*
 * Runs jobs in order; none of them may be busy. Returns when each is done or has run for longer
 * than the deadline; true if all are done.
 */
bool worker_pool_run(struct worker_pool *pool, struct job *const *jobs, size_t count,
		     int64_t deadline_ns);

/*
 * Runs one job in a temporary pool. -ETIMEDOUT: it was abandoned and may still run, so the memory
 * that it uses, the job included, must never be freed. -ENOMEM: it was not started.
 */
MUST_CHECK int job_run_once(struct job *job, int64_t deadline_ns);

/* Has it finished since it was last passed to worker_pool_run()? */
bool job_is_done(struct worker_pool *pool, const struct job *job);

/* Is it still running, abandoned by an earlier worker_pool_run()? */
bool job_is_busy(struct worker_pool *pool, const struct job *job);
