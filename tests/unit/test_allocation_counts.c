/* Allocations of devices, from counts that end with their process. */
#include "model/totals.h"
#include "unit.h"

#include <stdio.h>

static struct totals totals;
static struct device_counts sum;

/* A process in a sample; pid 0: none. */
struct counted {
	int32_t pid;
	uint64_t start_ticks, allocs;
	int64_t failures; /* -1: not reported */
};

static void take(const struct counted *list, size_t count, uint64_t used)
{
	struct snapshot *snapshot;
	struct device dev;

	assert_int_equal(snapshot_new(&snapshot), 0);
	device_init(&dev, 0);
	snprintf(dev.id, sizeof(dev.id), "0");
	dev.memory_used[POOL_DRAM] = used;
	dev.why[DEV_DRAM_USED] = used ? KNOWN : NO_TRACKER;
	assert_non_null(snapshot_add_device(snapshot, &dev));
	for (size_t i = 0; i < count; i++) {
		struct process *process = snapshot_add_process(snapshot, list[i].pid);
		struct usage *usage = process_use(process, 0);

		process->start_ticks = list[i].start_ticks;
		usage->counts[0].allocs = list[i].allocs;
		usage->counts[0].failures = (uint64_t)list[i].failures;
		usage->counts[1] = (struct allocation_count){ 2 * list[i].allocs, 1 };
		usage->why[USE_ALLOCS] = KNOWN;
		usage->why[USE_FAILURES] = list[i].failures < 0 ? NOT_REPORTED : KNOWN;
	}
	assert_int_equal(totals_add(&totals, snapshot, NULL, &sum), 0);
	snapshot_free(snapshot);
}

#define TAKE(used, ...)                               \
	take((const struct counted[]){ __VA_ARGS__ }, \
	     sizeof((const struct counted[]){ __VA_ARGS__ }) / sizeof(struct counted), used)

static int end(void **state)
{
	(void)state;
	totals_done(&totals);
	return 0;
}

TEST(nothing_is_known_before_a_process_counts)
{
	take(NULL, 0, 0);
	assert_int_equal(sum.why[TOTAL_ALLOCATIONS_DRAM], NO_TRACKER);
	assert_int_equal(sum.why[TOTAL_FAILURES_L1], NO_TRACKER);
	assert_int_equal(sum.why[TOTAL_PEAK_DRAM], NO_TRACKER);
}

TEST(counts_go_on_after_the_end_of_a_process)
{
	TAKE(0, { 10, 1, 100, 1 });
	assert_int_equal(sum.why[TOTAL_ALLOCATIONS_DRAM], KNOWN);
	assert_int_equal(sum.allocations[0].allocs, 100);
	TAKE(0, { 10, 1, 150, 1 }, { 11, 5, 7, 2 });
	assert_int_equal(sum.allocations[0].allocs, 157);
	assert_int_equal(sum.allocations[0].failures, 3);
	assert_int_equal(sum.allocations[1].allocs, 2 * 157);
	assert_int_equal(sum.allocations[1].failures, 2);
	take(NULL, 0, 0);
	assert_int_equal(sum.allocations[0].allocs, 157);
	assert_int_equal(sum.why[TOTAL_ALLOCATIONS_DRAM], KNOWN);
	/* Another process with the same pid. */
	TAKE(0, { 10, 9, 20, 0 });
	assert_int_equal(sum.allocations[0].allocs, 177);
}

/* As of programs with the preloaded library. */
TEST(failures_are_unknown_until_a_process_reports_them)
{
	TAKE(0, { 10, 1, 100, -1 });
	assert_int_equal(sum.why[TOTAL_ALLOCATIONS_L1], KNOWN);
	assert_int_equal(sum.why[TOTAL_FAILURES_DRAM], NO_TRACKER);
	assert_int_equal(sum.why[TOTAL_FAILURES_L1], NO_TRACKER);
	TAKE(0, { 10, 1, 100, -1 }, { 11, 1, 7, 2 });
	assert_int_equal(sum.why[TOTAL_FAILURES_DRAM], KNOWN);
	assert_int_equal(sum.allocations[0].failures, 2);
}

/* The server may answer too late for a sample. */
TEST(a_process_that_was_missing_is_not_counted_again)
{
	TAKE(0, { 10, 1, 100, 0 });
	take(NULL, 0, 0);
	TAKE(0, { 10, 1, 101, 0 });
	assert_int_equal(sum.allocations[0].allocs, 101);
}

TEST(a_lower_count_of_another_tracker_takes_nothing_back)
{
	TAKE(0, { 10, 1, 100, 0 });
	TAKE(0, { 10, 1, 40, 0 });
	assert_int_equal(sum.allocations[0].allocs, 100);
	TAKE(0, { 10, 1, 45, 0 });
	assert_int_equal(sum.allocations[0].allocs, 105);
}

/* A thousand processes per minute for a day: those that ended are forgotten. */
TEST(ended_processes_are_forgotten)
{
	for (int32_t i = 1; i <= 20000; i++)
		TAKE(0, { i, 1, 1, 0 });
	assert_int_equal(sum.allocations[0].allocs, 20000);
	assert_true(totals.allocations.usages.count < 3000);
}

TEST(the_peak_is_the_highest_of_all_samples)
{
	take(NULL, 0, 5000);
	take(NULL, 0, 7000);
	take(NULL, 0, 6000);
	take(NULL, 0, 0);
	assert_int_equal(sum.why[TOTAL_PEAK_DRAM], KNOWN);
	assert_int_equal(sum.peak[POOL_DRAM], 7000);
	assert_int_equal(sum.why[TOTAL_PEAK_L1], NO_TRACKER);
}

#define COUNTED(test) cmocka_unit_test_teardown(test, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COUNTED(nothing_is_known_before_a_process_counts),
		COUNTED(counts_go_on_after_the_end_of_a_process),
		COUNTED(failures_are_unknown_until_a_process_reports_them),
		COUNTED(a_process_that_was_missing_is_not_counted_again),
		COUNTED(a_lower_count_of_another_tracker_takes_nothing_back),
		COUNTED(ended_processes_are_forgotten),
		COUNTED(the_peak_is_the_highest_of_all_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
