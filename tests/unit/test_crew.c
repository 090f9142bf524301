/*
 * Jobs that block for ever, on a pipe that nobody writes into until the test says
 * so. Times are generous: they tell 20 ms from the deadline, not from 25.
 */
#include "basic/clock.h"
#include "basic/crew.h"
#include "unit.h"

#include <errno.h>
#include <pthread.h>

enum { MANY = 24 };

static const int64_t deadline = 400 * NS_PER_MS;

/* How many more threads may be had; the linker sends the crew's calls here. */
static int threads_left = 1000;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg)
{
	if (threads_left-- <= 0)
		return EAGAIN;
	return __real_pthread_create(thread, attr, run, arg);
}

struct task {
	struct job job;
	int pipe[2];	/* read from before it ends, if it has one */
	int sleep_ms;	/* or this long */
	int64_t ended;	/* since the start of the run; 0: not yet */
	unsigned place; /* the how-manieth to begin */
};

static struct task tasks[MANY];
static struct job *jobs[MANY];
static int64_t run_start;
static unsigned n_begun;

static void run(void *arg)
{
	struct task *task = arg;
	char c;

	task->place = __atomic_fetch_add(&n_begun, 1, __ATOMIC_RELAXED);
	if (task->sleep_ms)
		usleep((useconds_t)task->sleep_ms * 1000);
	if (task->pipe[0] >= 0 && read(task->pipe[0], &c, 1) != 1)
		return;
	task->ended = clock_now(CLOCK_MONOTONIC) - run_start;
}

static int make_tasks(void **state)
{
	(void)state;
	memset(tasks, 0, sizeof(tasks));
	for (size_t i = 0; i < MANY; i++) {
		tasks[i].pipe[0] = tasks[i].pipe[1] = -1;
		tasks[i].job = (struct job){ .run = run, .arg = &tasks[i] };
		jobs[i] = &tasks[i].job;
	}
	threads_left = 1000;
	return 0;
}

static void block(size_t i)
{
	assert_int_equal(pipe(tasks[i].pipe), 0);
}

/* Lets it go, and waits until it went. */
static void release(struct crew *crew, size_t i)
{
	assert_int_equal(write(tasks[i].pipe[1], "x", 1), 1);
	while (crew_job_is_busy(crew, &tasks[i].job))
		usleep(1000);
	close(tasks[i].pipe[0]);
	close(tasks[i].pipe[1]);
	tasks[i].pipe[0] = tasks[i].pipe[1] = -1;
}

static bool run_all(struct crew *crew, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!crew_job_is_busy(crew, &tasks[i].job))
			tasks[i].ended = 0;
	__atomic_store_n(&n_begun, 0, __ATOMIC_RELAXED);
	run_start = clock_now(CLOCK_MONOTONIC);
	return crew_run(crew, jobs, count, deadline);
}

static int64_t run_time(void)
{
	return clock_now(CLOCK_MONOTONIC) - run_start;
}

static struct crew *make_crew(void)
{
	struct crew *crew = NULL;

	assert_int_equal(crew_new(&crew), 0);
	return crew;
}

TEST(jobs_run_in_order_by_one_worker)
{
	struct crew *crew = make_crew();

	threads_left = 1;
	for (unsigned turn = 0; turn < 3; turn++) {
		assert_true(run_all(crew, MANY));
		for (size_t i = 0; i < MANY; i++) {
			assert_true(crew_job_is_done(crew, &tasks[i].job));
			assert_false(crew_job_is_busy(crew, &tasks[i].job));
			assert_int_equal(tasks[i].place, i);
		}
	}
	assert_int_equal(threads_left, 0);
	assert_null(crew_free(crew));
}

TEST(nothing_to_do_is_done_at_once)
{
	struct crew *crew = make_crew();

	assert_true(crew_run(crew, NULL, 0, deadline));
	assert_null(crew_free(crew));
	assert_null(crew_free(NULL));
}

/* Task 2 hangs; the others end long before its deadline. */
static void assert_only_two_is_late(struct crew *crew, size_t count)
{
	assert_false(run_all(crew, count));
	assert_true(run_time() >= deadline);
	assert_true(run_time() < deadline * 2);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(crew_job_is_done(crew, &tasks[i].job), i != 2);
		assert_int_equal(crew_job_is_busy(crew, &tasks[i].job), i == 2);
		if (i != 2)
			assert_true(tasks[i].ended > 0 && tasks[i].ended < deadline / 2);
	}
}

TEST(one_job_that_blocks_is_late_and_the_others_go_on)
{
	struct crew *crew = make_crew();

	block(2);
	assert_only_two_is_late(crew, 6);
	release(crew, 2);
	assert_true(crew_job_is_done(crew, &tasks[2].job));
	assert_true(run_all(crew, 6));
	assert_true(run_time() < deadline);
	assert_null(crew_free(crew));
}

TEST(the_others_go_on_as_well_when_a_worker_was_waiting_for_work)
{
	struct crew *crew = make_crew();

	assert_true(run_all(crew, 6));
	block(2);
	assert_only_two_is_late(crew, 6);
	release(crew, 2);
	assert_null(crew_free(crew));
}

TEST(a_job_may_block_again_and_again)
{
	struct crew *crew = make_crew();

	for (unsigned turn = 0; turn < 2; turn++) {
		block(2);
		assert_only_two_is_late(crew, 6);
		release(crew, 2);
	}
	assert_true(run_all(crew, 6));
	assert_null(crew_free(crew));
}

TEST(later_runs_leave_a_busy_job_out_and_do_not_wait_for_it)
{
	struct crew *crew = make_crew();
	struct job *rest[] = { jobs[0], jobs[1], jobs[3] };

	block(2);
	assert_only_two_is_late(crew, 4);
	for (unsigned turn = 0; turn < 5; turn++) {
		run_start = clock_now(CLOCK_MONOTONIC);
		assert_true(crew_run(crew, rest, ARRAY_SIZE(rest), deadline));
		assert_true(run_time() < deadline / 2);
		assert_true(crew_job_is_busy(crew, jobs[2]));
	}
	release(crew, 2);
	assert_null(crew_free(crew));
}

TEST(many_blocked_jobs_cost_one_deadline_not_many)
{
	struct crew *crew = make_crew();

	for (size_t i = 0; i < MANY; i++)
		if (i % 2)
			block(i);
	assert_false(run_all(crew, MANY));
	assert_true(run_time() < deadline + MANY * 40 * NS_PER_MS + deadline / 2);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(crew_job_is_done(crew, &tasks[i].job), i % 2 == 0);
	for (size_t i = 1; i < MANY; i += 2)
		release(crew, i);
	assert_true(run_all(crew, MANY));
	assert_null(crew_free(crew));
}

TEST(without_a_second_thread_the_rest_is_given_up_and_the_crew_recovers)
{
	struct crew *crew = make_crew();

	/* The second job has run for less than the deadline when the whole run ends. */
	threads_left = 1;
	tasks[0].sleep_ms = (int)(deadline / NS_PER_MS) - 10;
	block(1);
	assert_false(run_all(crew, 3));
	assert_true(crew_job_is_busy(crew, jobs[1]));
	assert_false(crew_job_is_done(crew, jobs[2]));
	assert_false(crew_job_is_busy(crew, jobs[2]));
	release(crew, 1);

	tasks[0].sleep_ms = 0;
	tasks[2].sleep_ms = 30;
	for (unsigned turn = 0; turn < 3; turn++) {
		assert_true(run_all(crew, 3));
		for (size_t i = 0; i < 3; i++)
			assert_true(tasks[i].ended > 0);
	}
	assert_null(crew_free(crew));
}

TEST(without_any_thread_everything_is_late_and_nothing_hangs)
{
	struct crew *crew = make_crew();

	threads_left = 0;
	assert_false(run_all(crew, 3));
	for (size_t i = 0; i < 3; i++) {
		assert_false(crew_job_is_done(crew, jobs[i]));
		assert_false(crew_job_is_busy(crew, jobs[i]));
	}
	threads_left = 1;
	assert_true(run_all(crew, 3));
	assert_null(crew_free(crew));
}

/* The last test: the blocked thread, and the memory it uses, stay to the end. */
TEST(the_crew_ends_while_a_job_still_hangs)
{
	struct crew *crew = make_crew();

	block(2);
	assert_only_two_is_late(crew, 4);
	run_start = clock_now(CLOCK_MONOTONIC);
	assert_null(crew_free(crew));
	assert_true(run_time() < deadline / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(jobs_run_in_order_by_one_worker, make_tasks),
		cmocka_unit_test_setup(nothing_to_do_is_done_at_once, make_tasks),
		cmocka_unit_test_setup(one_job_that_blocks_is_late_and_the_others_go_on,
				       make_tasks),
		cmocka_unit_test_setup(the_others_go_on_as_well_when_a_worker_was_waiting_for_work,
				       make_tasks),
		cmocka_unit_test_setup(a_job_may_block_again_and_again, make_tasks),
		cmocka_unit_test_setup(later_runs_leave_a_busy_job_out_and_do_not_wait_for_it,
				       make_tasks),
		cmocka_unit_test_setup(many_blocked_jobs_cost_one_deadline_not_many, make_tasks),
		cmocka_unit_test_setup(
			without_a_second_thread_the_rest_is_given_up_and_the_crew_recovers,
			make_tasks),
		cmocka_unit_test_setup(without_any_thread_everything_is_late_and_nothing_hangs,
				       make_tasks),
		cmocka_unit_test_setup(the_crew_ends_while_a_job_still_hangs, make_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
