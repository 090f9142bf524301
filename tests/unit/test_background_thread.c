#include "basic/background_thread.h"

#include "basic/clock.h"
#include "basic/wakeup.h"
#include "unit.h"

#include <poll.h>
#include <unistd.h>

static const int64_t forever = 600 * NS_PER_S;

struct owner {
	struct background_thread thread;
	int input, output; /* under the lock */
	int hangs;	   /* a pipe whose read blocks; -1: the thread never hangs */
};

/* Returns the input plus one, each time that it changes. */
static void answer(void *arg)
{
	struct owner *owner = arg;
	char byte;

	if (owner->hangs >= 0)
		(void)!read(owner->hangs, &byte, 1);
	pthread_mutex_lock(&owner->thread.lock);
	while (!owner->thread.stop) {
		if (owner->output != owner->input + 1) {
			owner->output = owner->input + 1;
			wakeup_send(owner->thread.fd);
		}
		background_thread_wait(&owner->thread, clock_now(CLOCK_MONOTONIC) + forever);
	}
	pthread_mutex_unlock(&owner->thread.lock);
}

static int ask(struct owner *owner, int input)
{
	struct pollfd ready = { .fd = owner->thread.fd, .events = POLLIN };
	int output;

	pthread_mutex_lock(&owner->thread.lock);
	owner->input = input;
	pthread_cond_broadcast(&owner->thread.changed);
	pthread_mutex_unlock(&owner->thread.lock);
	assert_int_equal(poll(&ready, 1, -1), 1);
	wakeup_clear(ready.fd);
	assert_int_equal(poll(&ready, 1, 0), 0);
	pthread_mutex_lock(&owner->thread.lock);
	output = owner->output;
	pthread_mutex_unlock(&owner->thread.lock);
	return output;
}

TEST(results_make_the_descriptor_readable)
{
	struct owner owner = { .input = -1, .output = 0, .hangs = -1 };

	assert_int_equal(background_thread_start(&owner.thread, answer, &owner), 0);
	assert_int_equal(ask(&owner, 7), 8);
	assert_int_equal(ask(&owner, 20), 21);
	assert_true(background_thread_end(&owner.thread, forever));
	background_thread_done(&owner.thread);
}

TEST(a_wait_ends_at_its_time)
{
	struct owner owner = { .input = -1, .output = 0, .hangs = -1 };

	assert_int_equal(background_thread_start(&owner.thread, answer, &owner), 0);
	pthread_mutex_lock(&owner.thread.lock);
	while (background_thread_wait(&owner.thread, clock_now(CLOCK_MONOTONIC)))
		;
	pthread_mutex_unlock(&owner.thread.lock);
	background_thread_join(&owner.thread);
	background_thread_done(&owner.thread);
}

/* The thread that hangs uses its owner until the program ends. */
TEST(a_thread_that_hangs_is_left_alone)
{
	static struct owner owner = { .input = -1 };
	int never[2];

	assert_int_equal(pipe(never), 0);
	owner.hangs = never[0];
	assert_int_equal(background_thread_start(&owner.thread, answer, &owner), 0);
	assert_false(background_thread_end(&owner.thread, NS_PER_MS));
	assert_true(owner.thread.stop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_make_the_descriptor_readable),
		cmocka_unit_test(a_wait_ends_at_its_time),
		cmocka_unit_test(a_thread_that_hangs_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
