/* Quiet times, from pairs of snapshots. */
#include "basic/clock.h"
#include "model/quiet.h"
#include "unit.h"

static struct snapshot *now, *before;

static struct snapshot *take(int64_t second)
{
	struct snapshot *snapshot;
	struct device dev;

	assert_int_equal(snapshot_new(&snapshot), 0);
	device_init(&dev, 0);
	dev.sampled_ns = second * NS_PER_S;
	dev.why[DEV_PCIE_RX] = NEEDS_TWO_SAMPLES;
	assert_non_null(snapshot_add_device(snapshot, &dev));
	assert_non_null(snapshot_add_process(snapshot, 7));
	assert_non_null(process_use(&snapshot->processes[0], 0));
	snapshot->processes[0].start_ticks = 100;
	snapshot->asked_ns = second * NS_PER_S;
	return snapshot;
}

static int make_pair(void **state)
{
	(void)state;
	before = take(10);
	now = take(40);
	return 0;
}

static int free_pair(void **state)
{
	(void)state;
	snapshot_free(before);
	snapshot_free(now);
	return 0;
}

static void set_traffic(struct snapshot *snapshot, double rate)
{
	struct device *dev = &snapshot->devices[0];

	dev->why[DEV_PCIE_RX] = dev->why[DEV_PCIE_TX] = KNOWN;
	dev->pcie_rx = rate;
	dev->pcie_tx = 0;
}

static void set_memory(struct snapshot *snapshot, uint64_t bytes)
{
	struct usage *usage = &snapshot->processes[0].usages[0];

	usage->why[USE_DRAM] = KNOWN;
	usage->bytes[POOL_DRAM] = bytes;
}

static bool device_is_quiet_for(double seconds)
{
	return device_knows(&now->devices[0], DEV_QUIET) && now->devices[0].quiet == seconds;
}

static bool process_is_quiet_for(double seconds)
{
	return process_knows(&now->processes[0], PROC_QUIET) && now->processes[0].quiet == seconds;
}

TEST(a_single_sample_is_not_enough)
{
	set_memory(now, 5);
	quiet_fill(now, NULL);
	assert_int_equal(now->devices[0].why[DEV_QUIET], NEEDS_TWO_SAMPLES);
	assert_int_equal(now->processes[0].why[PROC_QUIET], NEEDS_TWO_SAMPLES);
}

TEST(a_recording_is_not_enough_even_if_it_is_read_twice)
{
	now->recorded = true;
	set_memory(before, 5);
	set_memory(now, 5);
	quiet_fill(now, before);
	assert_int_equal(now->processes[0].why[PROC_QUIET], NEEDS_TWO_SAMPLES);
}

TEST(traffic_is_work_but_not_that_of_monitors)
{
	quiet_fill(before, NULL);
	set_traffic(now, 1e9);
	quiet_fill(now, before);
	assert_true(device_is_quiet_for(0));
}

TEST(without_traffic_it_is_quiet_since_observation_began)
{
	quiet_fill(before, NULL);
	set_traffic(now, 10000); /* a monitor */
	quiet_fill(now, before);
	assert_true(device_is_quiet_for(30));
}

TEST(time_adds_up_over_samples_and_ends_with_traffic)
{
	struct snapshot *later = take(100), *busy = take(101);

	quiet_fill(before, NULL);
	set_traffic(now, 0);
	quiet_fill(now, before);
	set_traffic(later, 0);
	quiet_fill(later, now);
	assert_near(later->devices[0].quiet, 90);
	set_traffic(busy, 1e6);
	quiet_fill(busy, later);
	assert_near(busy->devices[0].quiet, 0);
	snapshot_free(later);
	snapshot_free(busy);
}

TEST(the_end_of_a_program_is_work_and_needs_no_earlier_sample)
{
	struct utilization_figure figure = utilization_unknown(NOT_TRACED);

	figure.why[UTIL_LAST_PROGRAM] = KNOWN;
	figure.value.last_program = 12;
	device_set_utilization(&now->devices[0], &figure);
	usage_set_utilization(&now->processes[0].usages[0], &figure);
	quiet_fill(now, NULL);
	assert_true(device_is_quiet_for(12));
	assert_true(process_is_quiet_for(12));
}

TEST(the_later_of_traffic_and_program_counts)
{
	struct utilization_figure figure = utilization_unknown(NOT_TRACED);

	figure.why[UTIL_LAST_PROGRAM] = KNOWN;
	figure.value.last_program = 12;
	quiet_fill(before, NULL);
	set_traffic(now, 0);
	device_set_utilization(&now->devices[0], &figure);
	quiet_fill(now, before);
	assert_true(device_is_quiet_for(12));
}

TEST(a_running_program_is_work)
{
	struct utilization_figure figure = utilization_unknown(NOT_TRACED);

	figure.why[UTIL_RUNNING] = KNOWN;
	figure.value.running = 500;
	device_set_utilization(&now->devices[0], &figure);
	quiet_fill(now, NULL);
	assert_true(device_is_quiet_for(0));
}

TEST(a_change_of_memory_is_work_of_a_process)
{
	set_memory(before, 5);
	quiet_fill(before, NULL);
	set_memory(now, 6);
	quiet_fill(now, before);
	assert_true(process_is_quiet_for(0));
}

TEST(allocations_that_cancel_out_are_work)
{
	set_memory(before, 5);
	quiet_fill(before, NULL);
	set_memory(now, 5);
	now->processes[0].usages[0].allocs = now->processes[0].usages[0].frees = 9;
	quiet_fill(now, before);
	assert_true(process_is_quiet_for(0));
}

TEST(unchanged_memory_is_quiet_since_observation_began)
{
	set_memory(before, 5);
	quiet_fill(before, NULL);
	set_memory(now, 5);
	quiet_fill(now, before);
	assert_true(process_is_quiet_for(30));
}

TEST(a_reused_pid_is_another_process)
{
	set_memory(before, 5);
	set_memory(now, 5);
	now->processes[0].start_ticks = 200;
	quiet_fill(now, before);
	assert_int_equal(now->processes[0].why[PROC_QUIET], NEEDS_TWO_SAMPLES);
}

TEST(the_server_has_observed_a_device_for_longer)
{
	now->devices[0].server_worked_ns = 5 * NS_PER_S;
	quiet_fill(now, NULL);
	assert_true(device_is_quiet_for(35));
}

TEST(traffic_that_is_seen_here_is_later_than_what_the_server_saw)
{
	quiet_fill(before, NULL);
	set_traffic(now, 1e9);
	now->devices[0].server_worked_ns = 5 * NS_PER_S;
	quiet_fill(now, before);
	assert_true(device_is_quiet_for(0));
}

TEST(the_observation_here_began_later_than_that_of_the_server)
{
	quiet_fill(before, NULL);
	set_traffic(now, 0);
	now->devices[0].server_worked_ns = 5 * NS_PER_S;
	quiet_fill(now, before);
	assert_true(device_is_quiet_for(35));
}

TEST(a_time_of_the_server_after_ours_is_no_negative_time)
{
	now->devices[0].server_worked_ns = 41 * NS_PER_S;
	now->processes[0].usages[0].changed_ns = 41 * NS_PER_S;
	quiet_fill(now, NULL);
	assert_true(device_is_quiet_for(0));
	assert_true(process_is_quiet_for(0));
}

TEST(a_tracker_knows_when_memory_changed)
{
	set_memory(now, 5);
	now->processes[0].usages[0].changed_ns = 7 * NS_PER_S;
	quiet_fill(now, NULL);
	assert_true(process_is_quiet_for(33));
}

TEST(a_tracker_knows_when_memory_changed_between_two_samples)
{
	set_memory(before, 5);
	quiet_fill(before, NULL);
	set_memory(now, 6);
	now->processes[0].usages[0].changed_ns = 20 * NS_PER_S;
	quiet_fill(now, before);
	assert_true(process_is_quiet_for(20));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_pair, free_pair)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_single_sample_is_not_enough),
		CASE(the_server_has_observed_a_device_for_longer),
		CASE(traffic_that_is_seen_here_is_later_than_what_the_server_saw),
		CASE(the_observation_here_began_later_than_that_of_the_server),
		CASE(a_time_of_the_server_after_ours_is_no_negative_time),
		CASE(a_tracker_knows_when_memory_changed),
		CASE(a_tracker_knows_when_memory_changed_between_two_samples),
		CASE(a_recording_is_not_enough_even_if_it_is_read_twice),
		CASE(traffic_is_work_but_not_that_of_monitors),
		CASE(without_traffic_it_is_quiet_since_observation_began),
		CASE(time_adds_up_over_samples_and_ends_with_traffic),
		CASE(the_end_of_a_program_is_work_and_needs_no_earlier_sample),
		CASE(the_later_of_traffic_and_program_counts),
		CASE(a_running_program_is_work),
		CASE(a_change_of_memory_is_work_of_a_process),
		CASE(allocations_that_cancel_out_are_work),
		CASE(unchanged_memory_is_quiet_since_observation_began),
		CASE(a_reused_pid_is_another_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
