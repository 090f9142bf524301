/*
 * Jobs that block for ever, on a pipe that is written only when the test wants it, with a simulated
 * clock. The linker redirects the pool's calls: the clock advances only while every worker rests
 * (waits for work, blocks or sleeps), and then directly to the time that the worker pool waits for.
 * So a stalled machine makes nothing late, and a deadline takes no time.
 */
#include "basic/clock.h"
#include "basic/worker_pool.h"
#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

enum { MANY = 24 };

static const int64_t deadline = 400 * NS_PER_MS, patience = 20 * NS_PER_MS;

static atomic_int_fast64_t now = NS_PER_S;
static atomic_int_fast64_t wake_at; /* wake-up time of the sleeping thread; 0: none sleeps */
static atomic_int threads, resting;
static int64_t stall; /* by how much the next wake-up of the waiting thread is late */

static pthread_mutex_t tally_lock = PTHREAD_MUTEX_INITIALIZER; /* for the next two lines */
static pthread_cond_t *work;				       /* what idle workers wait for */
static int idle, called; /* number of waiting threads; number of those that were signalled */

static atomic_bool
	told; /* the worker pool was woken, and may not have been waiting for a deadline */

static int threads_left;	 /* how many more can be created */
static unsigned threads_refused; /* number of failed requests */

#define WRAPS(name, ...)                \
	int __real_##name(__VA_ARGS__); \
	int __wrap_##name(__VA_ARGS__)

WRAPS(clock_gettime, clockid_t clock, struct timespec *time);
WRAPS(pthread_create, pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
      void *arg);
WRAPS(pthread_cond_wait, pthread_cond_t *cond, pthread_mutex_t *lock);
WRAPS(pthread_cond_signal, pthread_cond_t *cond);
WRAPS(pthread_cond_broadcast, pthread_cond_t *cond);
WRAPS(pthread_cond_timedwait, pthread_cond_t *cond, pthread_mutex_t *lock,
      const struct timespec *until);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = clock_timespec(now);
	return 0;
}

static void *(*worker)(void *);

static void *live(void *arg)
{
	worker(arg);
	threads--;
	return NULL;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg)
{
	if (threads_left <= 0) {
		threads_refused++;
		return EAGAIN;
	}
	threads_left--;
	worker = run;
	threads++;
	return __real_pthread_create(thread, attr, live, arg);
}

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock)
{
	pthread_mutex_lock(&tally_lock);
	work = cond;
	idle++;
	resting++;
	pthread_mutex_unlock(&tally_lock);
	__real_pthread_cond_wait(cond, lock);
	pthread_mutex_lock(&tally_lock);
	if (called > 0) {
		called--;
	} else {
		idle--;
		resting--;
	}
	pthread_mutex_unlock(&tally_lock);
	return 0;
}

/* A signalled thread no longer rests, though it may take a while to wake up. */
static void call(pthread_cond_t *cond, int most)
{
	pthread_mutex_lock(&tally_lock);
	if (cond == work) {
		int count = MIN(idle, most);

		called += count;
		idle -= count;
		resting -= count;
	} else {
		told = true;
	}
	pthread_mutex_unlock(&tally_lock);
}

int __wrap_pthread_cond_signal(pthread_cond_t *cond)
{
	call(cond, 1);
	return __real_pthread_cond_signal(cond);
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *cond)
{
	call(cond, INT_MAX);
	return __real_pthread_cond_broadcast(cond);
}

/* All rest: time advances to the sleeping thread or to the awaited deadline. */
static bool time_passes(int64_t until)
{
	if (resting != threads || told)
		return false;
	if (wake_at && wake_at <= until) {
		now = wake_at;
		resting--;
		wake_at = 0;
		return false;
	}
	now = MAX(now, until) + stall;
	stall = 0;
	return true;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *lock,
				  const struct timespec *until)
{
	while (!time_passes(until->tv_sec * NS_PER_S + until->tv_nsec)) {
		struct timespec moment;

		__real_clock_gettime(CLOCK_MONOTONIC, &moment);
		moment = clock_timespec(moment.tv_sec * NS_PER_S + moment.tv_nsec + NS_PER_MS);
		__real_pthread_cond_timedwait(cond, lock, &moment);
		if (atomic_exchange(&told, false))
			return 0;
	}
	return ETIMEDOUT;
}

struct task {
	struct job job;
	int pipe[2];	/* it blocks in a read from this pipe, if there is one */
	int64_t sleep;	/* or sleeps for this time */
	unsigned place; /* its place in the order in which jobs began */
};

static struct task tasks[MANY];
static struct job *jobs[MANY];
static atomic_uint n_begun;

static void run(void *arg)
{
	struct task *task = arg;
	char c;

	task->place = n_begun++;
	if (task->sleep) {
		wake_at = now + task->sleep;
		resting++;
		while (wake_at)
			usleep(1000);
	}
	if (task->pipe[0] >= 0) {
		resting++;
		if (read(task->pipe[0], &c, 1) != 1)
			abort();
		resting--;
	}
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
	threads_refused = 0;
	return 0;
}

static void block(size_t i)
{
	assert_int_equal(pipe(tasks[i].pipe), 0);
}

/* Releases it, and waits until it has ended. */
static void release(struct worker_pool *workers, size_t i)
{
	assert_int_equal(write(tasks[i].pipe[1], "x", 1), 1);
	while (job_is_busy(workers, &tasks[i].job))
		usleep(1000);
	close(tasks[i].pipe[0]);
	close(tasks[i].pipe[1]);
	tasks[i].pipe[0] = tasks[i].pipe[1] = -1;
}

static bool run_all(struct worker_pool *workers, size_t count)
{
	n_begun = 0;
	return worker_pool_run(workers, jobs, count, deadline);
}

static struct worker_pool *make_workers(void)
{
	struct worker_pool *workers = NULL;

	assert_int_equal(worker_pool_new(&workers), 0);
	return workers;
}

TEST(jobs_run_in_order_by_one_worker)
{
	struct worker_pool *workers = make_workers();

	threads_left = 1;
	for (unsigned turn = 0; turn < 3; turn++) {
		assert_true(run_all(workers, MANY));
		for (size_t i = 0; i < MANY; i++) {
			assert_true(job_is_done(workers, jobs[i]));
			assert_false(job_is_busy(workers, jobs[i]));
			assert_int_equal(tasks[i].place, i);
		}
	}
	assert_int_equal(threads_left, 0);
	assert_int_equal(threads_refused, 0);
	assert_null(worker_pool_free(workers));
}

TEST(an_empty_run_returns_at_once)
{
	struct worker_pool *workers = make_workers();

	assert_true(worker_pool_run(workers, NULL, 0, deadline));
	assert_null(worker_pool_free(workers));
	assert_null(worker_pool_free(NULL));
}

/* Task 2 blocks: it is abandoned at its deadline, and the others were done meanwhile. */
static void assert_only_two_is_late(struct worker_pool *workers, size_t count)
{
	int64_t start = now;

	assert_false(run_all(workers, count));
	assert_int_equal(now - start, deadline);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(job_is_done(workers, &tasks[i].job), i != 2);
		assert_int_equal(job_is_busy(workers, &tasks[i].job), i == 2);
	}
}

TEST(a_blocked_job_is_late_and_the_others_continue)
{
	struct worker_pool *workers = make_workers();

	block(2);
	assert_only_two_is_late(workers, 6);
	release(workers, 2);
	assert_true(job_is_done(workers, &tasks[2].job));
	assert_true(run_all(workers, 6));
	assert_null(worker_pool_free(workers));
}

TEST(the_others_continue_with_an_idle_worker)
{
	struct worker_pool *workers = make_workers();

	assert_true(run_all(workers, 6));
	block(2);
	assert_only_two_is_late(workers, 6);
	release(workers, 2);
	assert_null(worker_pool_free(workers));
}

TEST(a_job_may_block_repeatedly)
{
	struct worker_pool *workers = make_workers();

	for (unsigned turn = 0; turn < 2; turn++) {
		block(2);
		assert_only_two_is_late(workers, 6);
		release(workers, 2);
	}
	assert_true(run_all(workers, 6));
	assert_null(worker_pool_free(workers));
}

TEST(a_stalled_machine_makes_no_job_late)
{
	struct worker_pool *workers = make_workers();

	tasks[0].sleep = deadline / 2;
	stall = 10 * deadline;
	assert_true(run_all(workers, 3));
	block(2);
	stall = 10 * deadline;
	assert_false(run_all(workers, 4)); /* the blocked job is late nevertheless */
	assert_true(job_is_busy(workers, jobs[2]));
	release(workers, 2);
	assert_null(worker_pool_free(workers));
}

TEST(later_runs_do_not_wait_for_a_busy_job)
{
	struct worker_pool *workers = make_workers();
	struct job *rest[] = { jobs[0], jobs[1], jobs[3] };

	block(2);
	assert_only_two_is_late(workers, 4);
	for (unsigned turn = 0; turn < 5; turn++) {
		int64_t start = now;

		assert_true(worker_pool_run(workers, rest, ARRAY_SIZE(rest), deadline));
		assert_int_equal(now, start);
		assert_true(job_is_busy(workers, jobs[2]));
	}
	release(workers, 2);
	assert_null(worker_pool_free(workers));
}

TEST(many_blocked_jobs_cost_one_deadline_not_many)
{
	struct worker_pool *workers = make_workers();
	int64_t start = now;

	for (size_t i = 0; i < MANY; i++)
		if (i % 2)
			block(i);
	assert_false(run_all(workers, MANY));
	assert_int_equal(now - start, deadline + (MANY / 2 - 1) * patience);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(job_is_done(workers, &tasks[i].job), i % 2 == 0);
	for (size_t i = 1; i < MANY; i += 2)
		release(workers, i);
	assert_true(run_all(workers, MANY));
	assert_null(worker_pool_free(workers));
}

TEST(without_a_second_thread_the_rest_times_out_and_the_pool_recovers)
{
	struct worker_pool *workers = make_workers();

	/* The second job has run for less than the deadline when the whole run ends. */
	threads_left = 1;
	tasks[0].sleep = deadline - patience / 2;
	block(1);
	assert_false(run_all(workers, 3));
	assert_true(job_is_busy(workers, jobs[1]));
	assert_false(job_is_done(workers, jobs[2]));
	assert_false(job_is_busy(workers, jobs[2]));
	release(workers, 1);

	tasks[0].sleep = 0;
	tasks[2].sleep = patience * 3 / 2;
	for (unsigned turn = 0; turn < 3; turn++)
		assert_true(run_all(workers, 3));
	assert_null(worker_pool_free(workers));
}

TEST(without_any_thread_everything_is_late_and_nothing_hangs)
{
	struct worker_pool *workers = make_workers();

	threads_left = 0;
	assert_false(run_all(workers, 3));
	for (size_t i = 0; i < 3; i++) {
		assert_false(job_is_done(workers, jobs[i]));
		assert_false(job_is_busy(workers, jobs[i]));
	}
	threads_left = 1;
	assert_true(run_all(workers, 3));
	assert_null(worker_pool_free(workers));
}

/* The last test: the blocked thread, and the memory it uses, stay to the end. */
TEST(the_pool_ends_while_a_job_still_hangs)
{
	struct worker_pool *workers = make_workers();

	block(2);
	assert_only_two_is_late(workers, 4);
	assert_null(worker_pool_free(workers));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(jobs_run_in_order_by_one_worker, make_tasks),
		cmocka_unit_test_setup(an_empty_run_returns_at_once, make_tasks),
		cmocka_unit_test_setup(a_blocked_job_is_late_and_the_others_continue, make_tasks),
		cmocka_unit_test_setup(the_others_continue_with_an_idle_worker, make_tasks),
		cmocka_unit_test_setup(a_job_may_block_repeatedly, make_tasks),
		cmocka_unit_test_setup(a_stalled_machine_makes_no_job_late, make_tasks),
		cmocka_unit_test_setup(later_runs_do_not_wait_for_a_busy_job, make_tasks),
		cmocka_unit_test_setup(many_blocked_jobs_cost_one_deadline_not_many, make_tasks),
		cmocka_unit_test_setup(
			without_a_second_thread_the_rest_times_out_and_the_pool_recovers,
			make_tasks),
		cmocka_unit_test_setup(without_any_thread_everything_is_late_and_nothing_hangs,
				       make_tasks),
		cmocka_unit_test_setup(the_pool_ends_while_a_job_still_hangs, make_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
