/*
 * A thread that takes over if the calling thread hangs in a job.
 *
 * A read that hangs cannot be interrupted, so the thread that is to answer must not be the one
 * that reads. Handing all jobs to a worker ensures that, at the price of two context switches each
 * time. A program that gives one answer can do without: it runs its jobs itself, while a standby
 * sleeps. If a job makes no progress, the standby does everything again from the beginning, with
 * workers, and ends the program:
 *
 *	caller:   job │ job │ job ..................................... (blocked)
 *	standby:  ╰ sleeps ────────────╮ take over: the whole run, with workers │ exit
 *
 * A job that computes, or waits for a processor, is left alone: only a thread that sleeps hangs.
 */
#pragma once

#include "basic/macros.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct standby {
	void (*take_over)(void *arg); /* ends the program */
	void *arg;
	pid_t thread;	   /* the calling thread */
	clockid_t watched; /* its CPU time */
	bool on_first_stack;
	atomic_bool in_job;
	atomic_bool settled; /* set by the thread that gives the answer: the other one stops */
	sem_t ended;	     /* the standby must stop sleeping */
	sem_t gone;	     /* the standby does not use this any more */
};

/* Watches the calling thread from now on, with take_over and arg set. -errno: no thread. */
MUST_CHECK int standby_start(struct standby *standby);

/* The calling thread begins or ends a job. */
static inline void standby_set_in_job(struct standby *standby, bool in_job)
{
	atomic_store_explicit(&standby->in_job, in_job, memory_order_relaxed);
}

/*
 * The last job is done. Does not return if the standby has taken over. The standby is not woken: a
 * program that ends now ends it as well.
 */
void standby_end(struct standby *standby);

/* After standby_end(): waits until the thread is gone, and with it the last use of the memory. */
void standby_done(struct standby *standby);
