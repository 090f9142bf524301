/* Reading the environment of clients in the observer thread, while some reads never return. */
#include "daemon/device_filter.h"

#include "basic/clock.h"
#include "basic/root.h"
#include "daemon/observer.h"
#include "source/visible.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static struct device_filters filters;
static struct observer *observer;
static struct root root;
static struct loop loop;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* while it is locked, most reads block */
static atomic_uint begun, ended;

void __wrap_visible_view_read(void *arg);

enum { PID_NEVER_BLOCKED = 30 };

/* In every process TT_VISIBLE_DEVICES is "3", and the release of TT-Metal is a recent one. */
void __wrap_visible_view_read(void *arg)
{
	struct visible_view *view = arg;

	begun++;
	if (view->pid != PID_NEVER_BLOCKED) {
		pthread_mutex_lock(&gate);
		pthread_mutex_unlock(&gate);
	}
	visible_parse("3", &view->visible);
	view->meaning = VISIBLE_BY_POSITION;
	ended++;
}

static struct device_filter *get(pid_t pid, uid_t uid)
{
	const struct peer peer = { .pid = pid, .uid = uid, .start_ticks = 1 };

	return device_filter_get(&filters, &peer);
}

static bool knows(struct device_filter *filter)
{
	enum visible_meaning meaning = VISIBLE_BY_EITHER;
	const struct visible_devices *visible = device_filter_visible(filter, &meaning);

	assert_true(visible->status == VISIBLE_LIST || visible->status == VISIBLE_UNREADABLE);
	assert_int_equal(visible->status == VISIBLE_LIST, meaning == VISIBLE_BY_POSITION);
	return visible->status == VISIBLE_LIST;
}

static void stop(struct timer *timer)
{
	(void)timer;
	loop_stop(&loop);
}

/* Lets the loop take the results of the observer. */
static void pump(void)
{
	struct timer moment = { .expired = stop };

	loop.stopped = false;
	timer_set(&loop, &moment, 2 * NS_PER_MS);
	assert_int_equal(loop_run(&loop), 0);
}

static void wait_known(struct device_filter *filter)
{
	while (!knows(filter))
		pump();
}

static void told(struct filter_wait *wait)
{
	(void)wait;
}

static void wait_over(struct device_filter *filter)
{
	struct filter_wait wait = { .done = told };

	if (!device_filter_wait(filter, &wait))
		return;
	while (wait.waiting)
		pump();
}

static size_t filter_count(void)
{
	size_t n = 0;

	for (LIST_EACH(at, &filters.list))
		n++;
	return n;
}

/* The observer reads the activity of devices by itself. */
static void ignore_activity(void *arg, const struct image_device *list, size_t count)
{
	(void)arg, (void)list, (void)count;
}

static int begin(void **state)
{
	static const struct observer_ops ops = { .active = ignore_activity };

	(void)state;
	begun = ended = 0;
	assert_int_equal(root_init(&root, NULL), 0);
	assert_int_equal(loop_init(&loop), 0);
	assert_int_equal(observer_new(&loop, &root, &ops, NULL, &observer), 0);
	device_filters_init(&filters, observer_probes(observer));
	return 0;
}

static int end(void **state)
{
	(void)state;
	pthread_mutex_trylock(&gate); /* taken only if an assertion failed meanwhile */
	pthread_mutex_unlock(&gate);
	device_filters_done(&filters);
	observer_free(observer);
	loop_done(&loop);
	root_done(&root);
	return 0;
}

static void a_process_is_read_once(void **state)
{
	struct device_filter *one = get(10, 1), *same = get(10, 1), *other = get(11, 1);

	(void)state;
	assert_ptr_equal(one, same);
	assert_ptr_not_equal(one, other);
	wait_known(one);
	wait_known(other);
	assert_int_equal(begun, 2);
	device_filter_put(one);
	assert_true(knows(same));
	device_filter_put(same);
	device_filter_put(other);
	assert_int_equal(filter_count(), 0);
}

static void no_filter_knows_nothing(void **state)
{
	enum visible_meaning meaning;

	(void)state;
	assert_int_equal(device_filter_visible(NULL, &meaning)->status, VISIBLE_UNREADABLE);
	assert_null(device_filter_put(NULL));
}

static void blocked_reads_of_a_user_are_bounded(void **state)
{
	struct device_filter *all[9];

	(void)state;
	pthread_mutex_lock(&gate);
	for (int i = 0; i < 8; i++)
		all[i] = get(20 + i, 1);
	all[8] = get(28, 2);
	for (int i = 0; i < 9; i++)
		wait_over(all[i]); /* all callbacks are called, though none has a result */
	/* four, and the one of another user: the others get no result */
	do {
		for (int i = 0; i < 9; i++)
			assert_false(knows(all[i])); /* this also requests it again */
		pump();
	} while (begun < 5);
	assert_int_equal(begun, 5);
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < 9; i++)
		wait_known(all[i]); /* now they are read */
	for (int i = 0; i < 9; i++)
		device_filter_put(all[i]);
	assert_int_equal(filter_count(), 0);
}

static void another_user_does_not_wait_for_reads_that_hang(void **state)
{
	struct device_filter *hung, *other;

	(void)state;
	pthread_mutex_lock(&gate);
	hung = get(20, 1);
	while (begun == 0) {
		assert_false(knows(hung)); /* this also requests it again */
		pump();
	}
	other = get(PID_NEVER_BLOCKED, 2);
	wait_known(other);
	assert_false(knows(hung));
	pthread_mutex_unlock(&gate);
	device_filter_put(hung);
	device_filter_put(other);
}

static void a_client_may_leave_while_it_is_read(void **state)
{
	(void)state;
	pthread_mutex_lock(&gate);
	device_filter_put(get(40, 1));
	assert_int_equal(filter_count(), 0);
	device_filter_put(get(41, 1));
	pthread_mutex_unlock(&gate);
	pump();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(a_process_is_read_once),
		TEST(no_filter_knows_nothing),
		TEST(blocked_reads_of_a_user_are_bounded),
		TEST(another_user_does_not_wait_for_reads_that_hang),
		TEST(a_client_may_leave_while_it_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
