/*
 * The lock around a report: held for some tens of nanoseconds, in the host program.
 *
 * Unlike a pthread mutex it is guaranteed to be free when its memory is zero, as in a forked child
 * (see process.c). It spins for some microseconds before it sleeps: with several threads reporting
 * at once, a plain mutex spends most of its time in the kernel. It does not spin for longer, since
 * the holder may have been preempted.
 */
#pragma once

#include <stdint.h>

struct lock {
	uint32_t state; /* 0 free, 1 taken, 2 taken and a thread may be sleeping */
};

void lock_wait(struct lock *lock);
void lock_wake(struct lock *lock);

static inline void lock_take(struct lock *lock)
{
	uint32_t free = 0;

	if (!__atomic_compare_exchange_n(&lock->state, &free, 1, 0, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		lock_wait(lock);
}

static inline int lock_try(struct lock *lock)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&lock->state, &free, 1, 0, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static inline void lock_release(struct lock *lock)
{
	if (__atomic_exchange_n(&lock->state, 0, __ATOMIC_RELEASE) == 2)
		lock_wake(lock);
}
