/*
 * A thread that works for a program whose main thread polls descriptors and must not block.
 *
 * Both threads access the members of its owner under the lock. The main thread changes them and
 * signals `changed`; the background thread waits for that, and makes `fd` readable when it has
 * results. It must check `stop` whenever it has waited. At its end it may hang in a read: then the
 * owner stays allocated, since the thread still uses it.
 */
#pragma once

#include "basic/macros.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct background_thread {
	pthread_mutex_t lock; /* protects members of the owner and those up to `stop` */
	pthread_cond_t changed;
	int fd;	   /* an eventfd (basic/wakeup.h); readable: there are results */
	bool stop; /* the thread must return */

	/* Private: */
	bool ended;
	pthread_t thread;
	void (*run)(void *owner);
	void *owner;
};

MUST_CHECK int background_thread_start(struct background_thread *thread, void (*run)(void *owner),
				       void *owner);

/*
 * Waits for `changed` until a time of CLOCK_MONOTONIC. False: that time has come. Called with the
 * lock, in the background thread.
 */
bool background_thread_wait(struct background_thread *thread, int64_t until_ns);

/* Asks the thread to return, and does not wait for it. */
void background_thread_stop(struct background_thread *thread);

/* Stops the thread and waits for its end. */
void background_thread_join(struct background_thread *thread);

/* The same with a limit. False: the thread has not ended in time, and the owner must stay. */
MUST_CHECK bool background_thread_end(struct background_thread *thread, int64_t patience_ns);

/* Releases lock, condition and descriptor of a thread that has ended. */
void background_thread_done(struct background_thread *thread);
