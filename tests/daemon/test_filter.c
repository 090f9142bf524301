/* Clients whose environment does not answer: who waits for whom, and for how many. */
#include "daemon/device_filter.h"
#include "source/visible.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static struct device_filters filters;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* taken: reads do not return */
static atomic_uint begun, ended;

void __wrap_visible_view_read(void *arg);

/* Every list is "3", and the release is new. */
void __wrap_visible_view_read(void *arg)
{
	struct visible_view *view = arg;

	begun++;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
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

/* On a busy machine a thread may come late. */
static void wait_for(atomic_uint *counter, unsigned least)
{
	while (*counter < least)
		usleep(1000);
}

static void wait_known(struct device_filter *filter)
{
	while (!knows(filter))
		usleep(1000);
}

static size_t count(void)
{
	size_t n = 0;

	for (LIST_EACH(at, &filters.list))
		n++;
	return n;
}

static int begin(void **state)
{
	(void)state;
	begun = ended = 0;
	return device_filters_init(&filters);
}

static int end(void **state)
{
	(void)state;
	device_filters_done(&filters);
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
	assert_int_equal(count(), 0);
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
	struct device_filter *all[5];

	(void)state;
	pthread_mutex_lock(&gate);
	for (int i = 0; i < 4; i++)
		all[i] = get(20 + i, 1);
	all[4] = get(30, 2);
	wait_for(&begun, 3); /* two, and the one of another user: the others go without */
	for (int i = 0; i < 5; i++)
		assert_false(knows(all[i]));
	pthread_mutex_unlock(&gate);
	wait_known(all[0]);
	wait_known(all[1]);
	wait_known(all[4]);
	assert_int_equal(begun, 3);
	assert_false(knows(all[2]) || knows(all[3]));
	for (int i = 0; i < 5; i++)
		device_filter_put(all[i]);
	assert_int_equal(count(), 0);
}

static void a_client_that_leaves_is_kept_until_its_read_ends(void **state)
{
	struct device_filter *filter;

	(void)state;
	pthread_mutex_lock(&gate);
	device_filter_put(get(40, 1));
	assert_int_equal(count(), 1);
	device_filter_put(get(40, 1)); /* back again: not read a second time */
	wait_for(&begun, 1);
	assert_int_equal(begun, 1);
	pthread_mutex_unlock(&gate);
	wait_for(&ended, 1);
	do { /* the thread may still be on its way out */
		filter = get(41, 1);
		device_filter_put(filter);
	} while (count());
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(a_process_is_read_once),
		TEST(no_filter_knows_nothing),
		TEST(blocked_reads_of_a_user_are_bounded),
		TEST(a_client_that_leaves_is_kept_until_its_read_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
