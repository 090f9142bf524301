/*
 * Jobs that run on the calling thread, watched by a standby thread, which takes over if a job
 * blocks. Each case runs in a child process, which the standby ends; the exit code shows which
 * thread did.
 */
#include "basic/clock.h"
#include "basic/worker_pool.h"
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BY_CALLER = 3, BY_STANDBY = 4, WRONG_THREAD = 5, NOT_DONE = 6 };

static pthread_t caller;
static int never[2]; /* a pipe into which nothing is written */

static void take_over(void *arg)
{
	_exit(pthread_equal(pthread_self(), caller) ? WRONG_THREAD : *(int *)arg);
}

static void check_thread(void *arg)
{
	(void)arg;
	if (!pthread_equal(pthread_self(), caller))
		_exit(WRONG_THREAD);
}

static void block(void *arg)
{
	char byte;

	(void)arg;
	(void)!read(never[0], &byte, 1);
}

/* Several times as long as a standby waits. */
static void compute(void *arg)
{
	int64_t end = clock_now(CLOCK_THREAD_CPUTIME_ID) + 150 * NS_PER_MS;

	(void)arg;
	while (clock_now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* The exit code of a process that runs this job after another one. */
static int run_child(void (*run)(void *arg))
{
	static int code = BY_STANDBY;
	struct job first = { .run = check_thread }, second = { .run = run };
	struct job *jobs[] = { &first, &second };
	struct worker_pool *pool;
	int status;
	pid_t pid;

	assert_int_equal(pipe(never), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		caller = pthread_self();
		if (worker_pool_new(&pool) < 0)
			_exit(NOT_DONE);
		worker_pool_use_standby(pool, take_over, &code);
		if (!worker_pool_run(pool, jobs, 2, NS_PER_S) || !job_is_done(pool, &second))
			_exit(NOT_DONE);
		worker_pool_end_standby(pool);
		_exit(BY_CALLER);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(never[0]);
	close(never[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(jobs_run_on_the_calling_thread)
{
	assert_int_equal(run_child(check_thread), BY_CALLER);
}

TEST(the_standby_takes_over_from_a_job_that_blocks)
{
	assert_int_equal(run_child(block), BY_STANDBY);
}

/* Also on a machine so busy that the job hardly ever gets a processor. */
TEST(a_job_that_computes_is_left_alone)
{
	assert_int_equal(run_child(compute), BY_CALLER);
}

/* Without jobs, waiting is allowed: a server may answer late. */
TEST(waiting_outside_of_a_job_is_allowed)
{
	struct job job = { .run = check_thread }, *jobs[] = { &job };
	static int code = BY_STANDBY;
	struct worker_pool *pool;

	caller = pthread_self();
	assert_int_equal(worker_pool_new(&pool), 0);
	worker_pool_use_standby(pool, take_over, &code);
	assert_true(worker_pool_run(pool, jobs, 1, NS_PER_S));
	usleep(100 * 1000);
	worker_pool_end_standby(pool);
	assert_null(worker_pool_free(pool));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_run_on_the_calling_thread),
		cmocka_unit_test(the_standby_takes_over_from_a_job_that_blocks),
		cmocka_unit_test(a_job_that_computes_is_left_alone),
		cmocka_unit_test(waiting_outside_of_a_job_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
