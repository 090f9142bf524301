#include "basic/standby.h"

#include "basic/clock.h"
#include "basic/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The watched thread hangs if it sleeps in a job and used next to no CPU time for so long. */
static const int64_t period_ns = 20 * NS_PER_MS, progress_ns = NS_PER_MS;

/*
 * It computes a whole output, like the main thread. The first standby of a program, usually the
 * only one, has its stack here: a new mapping would cost more than the thread itself.
 */
enum { STACK_SIZE = 1 << 20, GUARD_SIZE = 4096 };
static char first_stack[STACK_SIZE];

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

/*
 * Returns when the watched thread hangs; false: it has ended. Usually it ends within the first
 * period. Its CPU time before that is not read, so the first period never counts as a hang.
 */
static bool wait_for_hang(struct standby *standby)
{
	int64_t before, now = 0, until, late;
	bool first = true;

	for (;; first = false) {
		before = now;
		until = clock_now(CLOCK_MONOTONIC) + period_ns;
		if (!wait_period(standby, until) || atomic_load(&standby->settled))
			return false;
		late = clock_now(CLOCK_MONOTONIC) - until;
		now = clock_now(standby->watched);
		/* Late: the whole machine was stalled. */
		if (!first && is_in_job(standby) && now - before < progress_ns &&
		    late < period_ns && is_asleep(standby))
			return true;
	}
}

/*
 * The guard page is set only when the stack is used, since few programs need it. It is the first
 * whole page of the stack, whose alignment would leave a page to the variables before it.
 */
static void guard_stack(const struct standby *standby)
{
	char *page = first_stack + (-(uintptr_t)first_stack & (GUARD_SIZE - 1));

	if (standby->on_first_stack)
		(void)mprotect(page, GUARD_SIZE, PROT_NONE);
}

static void *watch(void *arg)
{
	struct standby *standby = arg;

	if (wait_for_hang(standby) && !atomic_exchange(&standby->settled, true)) {
		guard_stack(standby);
		standby->take_over(standby->arg);
	}
	sem_post(&standby->gone);
	return NULL;
}

/* A thread that ended may still be on its stack for a moment, so that one is used once. */
static void set_stack(struct standby *standby, pthread_attr_t *attr)
{
	static atomic_flag used = ATOMIC_FLAG_INIT;

	standby->on_first_stack = !atomic_flag_test_and_set(&used);
	if (standby->on_first_stack)
		pthread_attr_setstack(attr, first_stack, sizeof(first_stack));
	else
		pthread_attr_setstacksize(attr, STACK_SIZE);
}

/* Signals are for the main thread. */
int standby_start(struct standby *standby)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all;
	int r;

	standby->thread = gettid();
	atomic_store(&standby->settled, false);
	sem_init(&standby->ended, 0, 0);
	sem_init(&standby->gone, 0, 0);
	r = pthread_getcpuclockid(pthread_self(), &standby->watched);
	if (r)
		return -r;
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	set_stack(standby, &attr);
	pthread_attr_setsigmask_np(&attr, &all);
	r = pthread_create(&thread, &attr, watch, standby);
	pthread_attr_destroy(&attr);
	return -r;
}

void standby_end(struct standby *standby)
{
	while (atomic_exchange(&standby->settled, true))
		pause();
}

void standby_done(struct standby *standby)
{
	sem_post(&standby->ended);
	while (sem_wait(&standby->gone) < 0)
		; /* EINTR */
	sem_destroy(&standby->ended);
	sem_destroy(&standby->gone);
}
