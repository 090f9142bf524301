/*
 * A clock that the test controls, for a program that this file is linked into. The file named by
 * TT_CLOCK has three 64-bit numbers: nanoseconds since boot, their offset to Unix time, and the
 * latest deadline for which the program has waited, which the program writes. Waits with a deadline
 * use this clock too. So an hour of samples takes only the time to compute them, and is
 * reproducible: a sample is complete when the program waits for the time of the next one. Waits for
 * reads (basic/worker_pool.c) are short, and their deadlines are not written: no time passes on
 * this clock while a sample is taken, however slow the machine is, so no read is late.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND	   1000000000ll
#define SHORT_WAIT (SECOND / 50) /* slow_job_ns */

static int64_t *hands;

__attribute__((constructor)) static void open_clock(void)
{
	const char *name = getenv("TT_CLOCK");
	int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
	void *data =
		fd < 0 ? MAP_FAILED : mmap(NULL, 24, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (data != MAP_FAILED)
		hands = data;
}

static int64_t since_boot(void)
{
	return __atomic_load_n(&hands[0], __ATOMIC_ACQUIRE);
}

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int64_t now;

	if (!hands ||
	    (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME))
		return (int)syscall(SYS_clock_gettime, clock, ret);
	now = since_boot() + (clock == CLOCK_REALTIME ? hands[1] : 0);
	*ret = (struct timespec){ .tv_sec = now / SECOND, .tv_nsec = now % SECOND };
	return 0;
}

static void announce(int64_t deadline)
{
	int64_t latest = __atomic_load_n(&hands[2], __ATOMIC_RELAXED);

	if (deadline - since_boot() <= SHORT_WAIT)
		return;
	while (latest < deadline &&
	       !__atomic_compare_exchange_n(&hands[2], &latest, deadline, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

/*
 * Polls the clock, since there is no notification of a change. It returns after each look, as waits
 * may at any time: a signal that arrived at the end of the look is lost, and only the caller knows
 * what it was for.
 */
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			   const struct timespec *until)
{
	int64_t deadline = until->tv_sec * SECOND + until->tv_nsec;
	struct timespec soon;

	if (!hands)
		return pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, until);
	announce(deadline);
	if (since_boot() >= deadline)
		return ETIMEDOUT;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &soon);
	soon.tv_nsec += 5000000;
	soon.tv_sec += soon.tv_nsec / SECOND;
	soon.tv_nsec %= SECOND;
	pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, &soon);
	return 0;
}
