/* Devices on which a job died. */
#include "basic/clock.h"
#include "model/dirty.h"
#include "unit.h"

#include <signal.h>
#include <stdio.h>

enum { NOW = 1000000, UPTIME = 500 };

static struct snapshot *snapshot;

static int make_snapshot(void **state)
{
	struct device dev;

	(void)state;
	assert_int_equal(snapshot_new(&snapshot), 0);
	snapshot->wall_ns = (int64_t)NOW * NS_PER_S;
	snapshot->server_pid = 1;
	for (uint32_t i = 0; i < 2; i++) {
		device_init(&dev, i);
		dev.uptime = UPTIME;
		dev.why[DEV_UPTIME] = KNOWN;
		assert_non_null(snapshot_add_device(snapshot, &dev));
	}
	return 0;
}

static int free_snapshot(void **state)
{
	(void)state;
	snapshot_free(snapshot);
	return 0;
}

/* A job on device 0. status as of waitpid(); -1: unknown. */
static void add_job(int32_t pid, double end, int status)
{
	struct accounted account;

	accounted_init(&account, pid);
	account.device = 0;
	snprintf(account.name, sizeof(account.name), "train");
	account.end_time = end;
	account.why[ACCOUNT_END] = KNOWN;
	if (status >= 0)
		accounted_set_exit(&account, status);
	assert_int_equal(snapshot_add_accounted(snapshot, &account), 0);
}

static const struct device *judged(void)
{
	dirty_fill(snapshot);
	return &snapshot->devices[0];
}

/* The tracer has observed device 0 since `since`, and saw this job die on it; time 0: none. */
static void trace(double since, int32_t pid, double time)
{
	snapshot->devices[0].death = (struct observed_death){
		.since = since, .time = time, .pid = pid, .signal = SIGSEGV, .name = "serve"
	};
}

TEST(without_jobs_it_is_clean_if_the_tracer_ran)
{
	trace(NOW - UPTIME - 1, 0, 0);
	assert_int_equal(judged()->why[DEV_DIRTY], KNOWN);
	assert_false(judged()->dirty);
	assert_int_equal(judged()->why[DEV_DIRTY_CAUSE], NOT_APPLICABLE);
}

TEST(a_killed_job_makes_its_device_dirty_and_no_other)
{
	add_job(7, NOW - 100, SIGKILL);
	assert_true(judged()->dirty);
	assert_string_equal(judged()->dirty_cause, "pid 7 (train), signal 9");
	assert_near(judged()->dirty_time, NOW - 100);
	assert_int_equal(snapshot->devices[1].why[DEV_DIRTY], NOT_OBSERVED);
}

TEST(crashes_count_and_the_last_one_is_named)
{
	add_job(7, NOW - 100, SIGSEGV);
	add_job(8, NOW - 50, SIGABRT);
	assert_string_equal(judged()->dirty_cause, "pid 8 (train), signal 6");
}

TEST(a_job_that_ended_in_order_leaves_it_clean)
{
	trace(NOW - UPTIME - 1, 0, 0);
	add_job(7, NOW - 100, 0);
	add_job(8, NOW - 90, 3 << 8);
	add_job(9, NOW - 80, SIGTERM);
	add_job(10, NOW - 70, SIGINT);
	assert_int_equal(judged()->why[DEV_DIRTY], KNOWN);
	assert_false(judged()->dirty);
}

TEST(a_reset_since_makes_it_clean)
{
	trace(NOW - UPTIME - 1, 0, 0);
	add_job(7, NOW - UPTIME - 1, SIGKILL);
	assert_int_equal(judged()->why[DEV_DIRTY], KNOWN);
	assert_false(judged()->dirty);
}

TEST(an_unknown_end_is_unknown_unless_another_job_was_killed)
{
	add_job(7, NOW - 100, -1);
	assert_int_equal(judged()->why[DEV_DIRTY], NOT_REPORTED);
	assert_int_equal(judged()->why[DEV_DIRTY_CAUSE], NOT_REPORTED);
	add_job(8, NOW - 50, SIGKILL);
	assert_int_equal(judged()->why[DEV_DIRTY], KNOWN);
	assert_true(judged()->dirty);
}

/* The server knows only programs whose memory it counts. */
TEST(the_server_alone_cannot_call_a_device_clean)
{
	add_job(7, NOW - 100, 0);
	assert_int_equal(judged()->why[DEV_DIRTY], NOT_OBSERVED);
	assert_int_equal(judged()->why[DEV_DIRTY_CAUSE], NOT_OBSERVED);
}

TEST(without_the_time_of_the_reset_a_death_is_known_but_not_whether_it_is_dirty)
{
	snapshot->devices[0].why[DEV_UPTIME] = NOT_OFFERED;
	assert_int_equal(judged()->why[DEV_DIRTY], NOT_OFFERED);
	assert_int_equal(judged()->why[DEV_DIRTY_CAUSE], NOT_OFFERED);
	add_job(6, NOW - 200, -1);
	assert_int_equal(judged()->why[DEV_DIRTY_CAUSE], NOT_OFFERED);
	add_job(7, NOW - 100, SIGKILL);
	assert_int_equal(judged()->why[DEV_DIRTY], NOT_OFFERED);
	assert_int_equal(judged()->why[DEV_DIRTY_CAUSE], KNOWN);
	assert_string_equal(judged()->dirty_cause, "pid 7 (train), signal 9");
	assert_near(judged()->dirty_time, NOW - 100);
}

TEST(the_tracer_needs_no_server)
{
	snapshot->server_pid = 0;
	trace(NOW - UPTIME - 10, 7, NOW - 100);
	assert_true(judged()->dirty);
	assert_string_equal(judged()->dirty_cause, "pid 7 (serve), signal 11");
	assert_near(judged()->dirty_time, NOW - 100);
	assert_int_equal(snapshot->devices[1].why[DEV_DIRTY], NOT_OBSERVED);
}

TEST(a_reset_after_a_death_that_the_tracer_saw_makes_it_clean)
{
	snapshot->server_pid = 0;
	trace(NOW - UPTIME - 10, 7, NOW - UPTIME - 1);
	assert_int_equal(judged()->why[DEV_DIRTY], KNOWN);
	assert_false(judged()->dirty);
}

TEST(what_happened_before_the_observation_began_is_unknown)
{
	assert_int_equal(judged()->why[DEV_DIRTY], NOT_OBSERVED);
	assert_int_equal(judged()->why[DEV_DIRTY_CAUSE], NOT_OBSERVED);
	trace(NOW - UPTIME + 1, 0, 0);
	assert_int_equal(judged()->why[DEV_DIRTY], NOT_OBSERVED);
	trace(NOW - UPTIME - 1, 0, 0);
	assert_int_equal(judged()->why[DEV_DIRTY], KNOWN);
	assert_false(judged()->dirty);
	trace(NOW - UPTIME + 1, 7, NOW - 100);
	assert_int_equal(judged()->why[DEV_DIRTY], KNOWN);
	assert_true(judged()->dirty);
}

TEST(the_tracer_knows_how_a_job_ended_that_the_server_could_not_ask)
{
	add_job(7, NOW - 100, -1);
	trace(NOW - UPTIME - 1, 0, 0);
	assert_int_equal(judged()->why[DEV_DIRTY], KNOWN);
	assert_false(judged()->dirty);
	trace(NOW - 99, 0, 0);
	assert_int_equal(judged()->why[DEV_DIRTY], NOT_REPORTED);
}

TEST(the_later_death_is_named_and_the_server_has_the_full_name)
{
	add_job(7, NOW - 100, SIGKILL);
	trace(NOW - UPTIME - 10, 8, NOW - 50);
	assert_string_equal(judged()->dirty_cause, "pid 8 (serve), signal 11");
	trace(NOW - UPTIME - 10, 8, NOW - 150);
	assert_string_equal(judged()->dirty_cause, "pid 7 (train), signal 9");
	trace(NOW - UPTIME - 10, 7, NOW - 99);
	assert_string_equal(judged()->dirty_cause, "pid 7 (train), signal 9");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_snapshot, free_snapshot)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(without_jobs_it_is_clean_if_the_tracer_ran),
		CASE(a_killed_job_makes_its_device_dirty_and_no_other),
		CASE(crashes_count_and_the_last_one_is_named),
		CASE(a_job_that_ended_in_order_leaves_it_clean),
		CASE(a_reset_since_makes_it_clean),
		CASE(an_unknown_end_is_unknown_unless_another_job_was_killed),
		CASE(the_server_alone_cannot_call_a_device_clean),
		CASE(without_the_time_of_the_reset_a_death_is_known_but_not_whether_it_is_dirty),
		CASE(the_tracer_needs_no_server),
		CASE(a_reset_after_a_death_that_the_tracer_saw_makes_it_clean),
		CASE(what_happened_before_the_observation_began_is_unknown),
		CASE(the_tracer_knows_how_a_job_ended_that_the_server_could_not_ask),
		CASE(the_later_death_is_named_and_the_server_has_the_full_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
