#include "basic/standby.h"

#include "basic/clock.h"
#include "basic/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The watched thread hangs if it sleeps in a job and used next to no CPU time for so long. */
static const int64_t period_ns = 20 * NS_PER_MS, progress_ns = NS_PER_MS;

/* It computes a whole output, like the main thread. */
enum { STACK_SIZE = 1 << 20 };

static bool is_in_job(struct standby *standby)
{
	return atomic_load_explicit(&standby->in_job, memory_order_relaxed);
}

/* By its state in proc(5). One that waits for a processor runs; a debugger stops one. */
static bool is_asleep(const struct standby *standby)
{
	char path[48], text[512];
	const char *end;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", standby->thread);
	if (file_read(AT_FDCWD, path, text, sizeof(text)) < 0)
		return true;
	end = strrchr(text, ')');
	return !end || end[1] != ' ' || end[2] == 'S' || end[2] == 'D';
}

/* Waits for one period, or until the watched thread is done: false. */
static bool wait_period(struct standby *standby, int64_t until)
{
	struct timespec moment = clock_timespec(until);

	return sem_clockwait(&standby->ended, CLOCK_MONOTONIC, &moment) < 0;
}

/* Returns when the watched thread hangs; false: it has ended. */
static bool wait_for_hang(struct standby *standby)
{
	int64_t used, until, late;

	do {
		used = clock_now(standby->watched);
		until = clock_now(CLOCK_MONOTONIC) + period_ns;
		if (!wait_period(standby, until))
			return false;
		late = clock_now(CLOCK_MONOTONIC) - until;
		used = clock_now(standby->watched) - used;
		/* Late: the whole machine was stalled. */
	} while (!is_in_job(standby) || used >= progress_ns || late >= period_ns ||
		 !is_asleep(standby));
	return true;
}

static void *watch(void *arg)
{
	struct standby *standby = arg;

	if (wait_for_hang(standby) && !atomic_flag_test_and_set(&standby->settled))
		standby->take_over(standby->arg);
	sem_post(&standby->gone);
	return NULL;
}

/* Signals are for the main thread. */
int standby_start(struct standby *standby)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all;
	int r;

	standby->thread = gettid();
	atomic_flag_clear(&standby->settled);
	sem_init(&standby->ended, 0, 0);
	sem_init(&standby->gone, 0, 0);
	r = pthread_getcpuclockid(pthread_self(), &standby->watched);
	if (r)
		return -r;
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setsigmask_np(&attr, &all);
	r = pthread_create(&thread, &attr, watch, standby);
	pthread_attr_destroy(&attr);
	return -r;
}

void standby_end(struct standby *standby)
{
	while (atomic_flag_test_and_set(&standby->settled))
		pause();
	sem_post(&standby->ended);
}

void standby_done(struct standby *standby)
{
	while (sem_wait(&standby->gone) < 0)
		; /* EINTR */
	sem_destroy(&standby->ended);
	sem_destroy(&standby->gone);
}
