/* Rings over time: gaps stay gaps, memory is bounded, a reused pid is another process. */
#include "unit/unit.h"

#include "basic/clock.h"
#include "model/history.h"

#define S NS_PER_S

static struct point point_at(int64_t time_ns, uint64_t dram)
{
	return (struct point){ .time_ns = time_ns, .known = true, .last = { dram, 0 } };
}

static void add(struct series *series, int64_t time_ns, uint64_t dram)
{
	struct point point = point_at(time_ns, dram);

	series_add(series, &point);
}

TEST(a_step_keeps_its_last_value_and_its_maximum)
{
	struct series *series = series_new(10, S);
	const struct point *point;

	add(series, 100 * S, 5);
	add(series, 100 * S + S / 4, 9);
	add(series, 100 * S + S / 2, 7);
	point = series_at(series, 100);
	assert_non_null(point);
	assert_int_equal(point->last[POOL_DRAM], 7);
	assert_int_equal(point->most[POOL_DRAM], 9);
	assert_int_equal(series->peak[POOL_DRAM], 9);
	assert_int_equal(series->samples, 3);
	series_free(series);
}

TEST(a_step_without_a_sample_is_a_gap)
{
	struct series *series = series_new(10, S);
	uint64_t most = 77;

	add(series, 100 * S, 5);
	add(series, 104 * S, 6);
	assert_null(series_at(series, 102));
	assert_false(series_most(series, POOL_DRAM, 102 * S, 103 * S, S, &most));
	assert_int_equal(most, 77);
	assert_true(series_most(series, POOL_DRAM, 102 * S, 103 * S, 3 * S, &most));
	assert_int_equal(most, 5);
	series_free(series);
}

TEST(overwritten_steps_are_not_returned)
{
	struct series *series = series_new(10, S);
	uint64_t most;

	add(series, 100 * S, 5);
	add(series, 110 * S, 6);
	assert_null(series_at(series, 100));
	assert_non_null(series_at(series, 110));
	assert_false(series_most(series, POOL_DRAM, 99 * S, 101 * S, 0, &most));
	assert_int_equal(series->first.last[POOL_DRAM], 5);
	series_free(series);
}

TEST(an_unknown_sample_replaces_a_known_one)
{
	struct series *series = series_new(10, S);
	struct point unknown = { .time_ns = 101 * S };
	uint64_t most;

	add(series, 100 * S, 5);
	series_add(series, &unknown);
	assert_false(series_most(series, POOL_DRAM, 102 * S, 103 * S, 5 * S, &most));
	assert_false(series_most(series, POOL_DRAM, 101 * S, 102 * S, 5 * S, &most));
	assert_int_equal(series->samples, 1);
	series_free(series);
}

TEST(only_known_samples_of_two_moments_span_time)
{
	struct series *series = series_new(10, S);
	struct point unknown = { .time_ns = 101 * S };

	assert_false(series_spans_time(NULL));
	assert_false(series_spans_time(series));
	add(series, 100 * S, 5);
	add(series, 100 * S, 6);
	series_add(series, &unknown);
	assert_false(series_spans_time(series));
	add(series, 102 * S, 5);
	assert_true(series_spans_time(series));
	series_free(series);
}

TEST(zero_is_a_value)
{
	struct series *series = series_new(10, S);
	uint64_t most = 1;

	add(series, 100 * S, 0);
	assert_true(series_most(series, POOL_DRAM, 100 * S, 101 * S, 0, &most));
	assert_int_equal(most, 0);
	series_free(series);
}

TEST(a_step_in_a_reused_slot_has_its_own_maximum)
{
	struct series *series = series_new(10, S);

	add(series, 100 * S, 9);
	add(series, 110 * S, 5);
	assert_int_equal(series_at(series, 110)->most[POOL_DRAM], 5);
	assert_int_equal(series->peak[POOL_DRAM], 9);
	assert_true(series->begun_ns == 100 * S);
	assert_true(series->ended_ns == 110 * S);
	series_free(series);
}

TEST(unknown_values_are_not_a_maximum)
{
	struct series *series = series_new(10, S);
	struct point unknown = { .time_ns = 100 * S, .last = { 99, 99 } };
	uint64_t most;

	assert_null(series_at(series, 0)); /* nothing is there yet */
	series_add(series, &unknown);
	add(series, 100 * S + 1, 5);
	assert_int_equal(series_at(series, 100)->most[POOL_DRAM], 5);
	assert_int_equal(series->peak[POOL_DRAM], 5);
	assert_true(series->begun_ns == 100 * S + 1);
	unknown.time_ns = 101 * S;
	series_add(series, &unknown);
	assert_true(series->ended_ns == 100 * S + 1);
	/* An unknown step does not affect known ones. */
	assert_true(series_most(series, POOL_DRAM, 100 * S, 102 * S, 0, &most));
	assert_int_equal(most, 5);
	series_free(series);
}

TEST(the_maximum_covers_all_steps_completely)
{
	struct series *series = series_new(10, S);
	struct point point = { .known = true };
	static const uint64_t l1[] = { 8, 3, 6, 2 };
	uint64_t most;

	for (unsigned i = 0; i < ARRAY_SIZE(l1); i++) {
		point.time_ns = 100 * S + i * S / 2;
		point.last[POOL_L1] = l1[i];
		point.last[POOL_DRAM] = 50;
		series_add(series, &point);
	}
	assert_true(series_most(series, POOL_L1, 100 * S, 102 * S, 0, &most));
	assert_int_equal(most, 8);
	assert_true(series_most(series, POOL_DRAM, 100 * S, 102 * S, 0, &most));
	assert_int_equal(most, 50);
	/* The last value is held, not the maximum. */
	assert_true(series_most(series, POOL_L1, 103 * S, 104 * S, 5 * S, &most));
	assert_int_equal(most, 2);
	series_free(series);
}

TEST(a_sample_counts_from_its_time_on_and_before_the_end)
{
	struct series *series = series_new(10, S);
	uint64_t most;

	add(series, 100 * S + S / 2, 5);
	assert_true(series_most(series, POOL_DRAM, 100 * S + S / 2, 101 * S, 0, &most));
	assert_false(series_most(series, POOL_DRAM, 100 * S + S / 2 + 1, 101 * S, 0, &most));
	assert_true(series_most(series, POOL_DRAM, 99 * S, 100 * S + S / 2 + 1, 0, &most));
	assert_false(series_most(series, POOL_DRAM, 99 * S, 100 * S + S / 2, 0, &most));
	/* A sample does not hold for the time before it. */
	assert_false(series_most(series, POOL_DRAM, 100 * S, 100 * S + 1, 5 * S, &most));
	assert_false(
		series_most(series, POOL_DRAM, 100 * S + S / 2, 100 * S + S / 2, 5 * S, &most));
	series_free(series);
}

TEST(a_sample_holds_for_hold_ns_and_no_longer)
{
	struct series *series = series_new(10, S);
	uint64_t most;

	add(series, 100 * S + S / 2, 5);
	assert_true(series_most(series, POOL_DRAM, 103 * S, 104 * S, 2 * S + S / 2, &most));
	assert_int_equal(most, 5);
	assert_false(series_most(series, POOL_DRAM, 103 * S, 104 * S, 2 * S + S / 2 - 1, &most));
	/* As far back as the ring goes. */
	assert_true(series_most(series, POOL_DRAM, 109 * S, 110 * S, 60 * S, &most));
	assert_int_equal(most, 5);
	series_free(series);
}

/* ---- of snapshots ---- */

static struct snapshot *machine(int64_t taken_ns)
{
	struct snapshot *snapshot;
	struct device dev;

	assert_int_equal(snapshot_new(&snapshot), 0);
	snapshot->taken_ns = taken_ns;
	device_init(&dev, 3);
	dev.why[DEV_DRAM_USED] = dev.why[DEV_L1_USED] = KNOWN;
	dev.memory_used[POOL_DRAM] = 1000;
	dev.memory_used[POOL_L1] = 10;
	assert_non_null(snapshot_add_device(snapshot, &dev));
	return snapshot;
}

static void add_process(struct snapshot *snapshot, int32_t pid, uint64_t start, uint64_t dram)
{
	struct process *process = snapshot_add_process(snapshot, pid);
	struct usage *usage = process_use(process, 0);

	process->start_ticks = start;
	memset(usage->why, KNOWN, sizeof(usage->why));
	usage->bytes[POOL_DRAM] = dram;
	usage->frees = 4;
}

TEST(devices_and_processes_are_kept)
{
	struct snapshot *snapshot = machine(50 * S);
	struct history *history;
	const struct series *series;

	assert_int_equal(history_new(&history), 0);
	add_process(snapshot, 12, 7, 400);
	assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
	series = history_of_device(history, &snapshot->devices[0]);
	assert_non_null(series);
	assert_int_equal(series->peak[POOL_DRAM], 1000);
	assert_int_equal(series->peak[POOL_L1], 10);
	series = history_of_process(history, &snapshot->processes[0], &snapshot->devices[0]);
	assert_non_null(series);
	assert_int_equal(series->first.last[POOL_DRAM], 400);
	assert_true(series->first.has_frees);
	snapshot_free(snapshot);
	history_free(history);
}

TEST(every_series_spans_ten_minutes)
{
	struct snapshot *snapshot = machine(50 * S);
	struct history *history;
	const struct series *series;

	assert_int_equal(history_new(&history), 0);
	add_process(snapshot, 12, 7, 400);
	assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
	series = history_of_device(history, &snapshot->devices[0]);
	assert_true(series->step_ns == S);
	assert_true((int64_t)series->size * series->step_ns == HISTORY_SPAN_NS);
	series = history_of_process(history, &snapshot->processes[0], &snapshot->devices[0]);
	assert_true(series->step_ns == 15 * S);
	assert_true((int64_t)series->size * series->step_ns == HISTORY_SPAN_NS);
	snapshot_free(snapshot);
	history_free(history);
}

TEST(a_point_has_the_time_and_all_figures_of_its_snapshot)
{
	struct snapshot *snapshot = machine(50 * S);
	struct history *history;
	const struct series *series;

	assert_int_equal(history_new(&history), 0);
	snapshot->asked_ns = 40 * S; /* its processes are those of the sample at that time */
	add_process(snapshot, 12, 7, 400);
	snapshot->processes[0].usages[0].bytes[POOL_L1] = 30;
	assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
	series = history_of_process(history, &snapshot->processes[0], &snapshot->devices[0]);
	assert_true(series->begun_ns == 50 * S);
	assert_int_equal(series->first.last[POOL_DRAM], 400);
	assert_int_equal(series->first.last[POOL_L1], 30);
	assert_true(series->first.has_frees);
	assert_int_equal(series->first.frees, 4);
	snapshot->processes[0].start_ticks = 8;
	snapshot->processes[0].usages[0].why[USE_FREES] = NOT_REPORTED;
	assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
	series = history_of_process(history, &snapshot->processes[0], &snapshot->devices[0]);
	assert_false(series->first.has_frees);
	snapshot_free(snapshot);
	history_free(history);
}

TEST(memory_is_known_if_dram_and_l1_are)
{
	static const enum device_field fields[] = { DEV_DRAM_USED, DEV_L1_USED };
	static const enum usage_field uses[] = { USE_DRAM, USE_L1 };

	for (unsigned i = 0; i < 2; i++) {
		struct snapshot *snapshot = machine(50 * S);
		struct history *history;

		assert_int_equal(history_new(&history), 0);
		add_process(snapshot, 12, 7, 400);
		snapshot->devices[0].why[fields[i]] = NO_TRACKER;
		snapshot->processes[0].usages[0].why[uses[i]] = NO_TRACKER;
		assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
		/* A device has an entry nevertheless: its chart shows a gap. */
		assert_non_null(history_of_device(history, &snapshot->devices[0]));
		assert_int_equal(history_of_device(history, &snapshot->devices[0])->samples, 0);
		assert_null(history_of_process(history, &snapshot->processes[0],
					       &snapshot->devices[0]));
		snapshot_free(snapshot);
		history_free(history);
	}
}

TEST(a_process_without_a_pid_is_not_mistaken_for_the_device)
{
	struct snapshot *snapshot = machine(50 * S);
	struct history *history;

	assert_int_equal(history_new(&history), 0);
	add_process(snapshot, 0, 0, 400);
	assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
	assert_int_equal(history_of_device(history, &snapshot->devices[0])->samples, 1);
	snapshot_free(snapshot);
	history_free(history);
}

TEST(a_reused_pid_is_another_process)
{
	struct snapshot *first = machine(50 * S), *second = machine(51 * S);
	struct history *history;
	const struct series *series;

	assert_int_equal(history_new(&history), 0);
	add_process(first, 12, 7, 400);
	add_process(second, 12, 8, 30);
	assert_int_equal(history_add(history, first, 2 * NS_PER_S), 0);
	assert_int_equal(history_add(history, second, 2 * NS_PER_S), 0);
	series = history_of_process(history, &second->processes[0], &second->devices[0]);
	assert_int_equal(series->samples, 1);
	assert_int_equal(series->first.last[POOL_DRAM], 30);
	snapshot_free(first);
	snapshot_free(second);
	history_free(history);
}

TEST(processes_that_exited_before_the_span_are_dropped)
{
	struct snapshot *first = machine(50 * S), *second = machine(50 * S + HISTORY_SPAN_NS + 1);
	struct history *history;

	assert_int_equal(history_new(&history), 0);
	add_process(first, 12, 7, 400);
	assert_int_equal(history_add(history, first, 2 * NS_PER_S), 0);
	assert_int_equal(history_add(history, second, 2 * NS_PER_S), 0);
	assert_null(history_of_process(history, &first->processes[0], &first->devices[0]));
	assert_non_null(history_of_device(history, &first->devices[0]));
	snapshot_free(first);
	snapshot_free(second);
	history_free(history);
}

TEST(the_span_starts_when_a_process_was_last_seen)
{
	struct snapshot *first = machine(50 * S), *again = machine(350 * S);
	struct snapshot *last = machine(350 * S + HISTORY_SPAN_NS);
	struct history *history;

	assert_int_equal(history_new(&history), 0);
	add_process(first, 12, 7, 400);
	add_process(again, 12, 7, 400);
	assert_int_equal(history_add(history, first, 2 * NS_PER_S), 0);
	assert_int_equal(history_add(history, again, 2 * NS_PER_S), 0);
	assert_int_equal(history_add(history, last, 2 * NS_PER_S), 0);
	assert_non_null(history_of_process(history, &first->processes[0], &first->devices[0]));
	snapshot_free(first);
	snapshot_free(again);
	snapshot_free(last);
	history_free(history);
}

/* The given number of processes, from this pid on, at this time. */
static struct snapshot *crowd(int64_t taken_ns, int32_t pid, int count)
{
	struct snapshot *snapshot = machine(taken_ns);

	for (int i = 0; i < count; i++)
		add_process(snapshot, pid + i, 1, 5);
	return snapshot;
}

static bool has_process(const struct history *history, const struct snapshot *snapshot, size_t i)
{
	return history_of_process(history, &snapshot->processes[i], &snapshot->devices[0]);
}

TEST(running_processes_are_not_dropped_for_others)
{
	struct snapshot *snapshot = crowd(50 * S, 1, HISTORY_PROCESSES + 1);
	struct history *history;

	assert_int_equal(history_new(&history), 0);
	assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
	assert_true(has_process(history, snapshot, 0));
	assert_true(has_process(history, snapshot, HISTORY_PROCESSES - 1));
	assert_false(has_process(history, snapshot, HISTORY_PROCESSES));
	snapshot_free(snapshot);
	history_free(history);
}

TEST(the_process_that_exited_first_is_dropped_first)
{
	struct snapshot *first = crowd(50 * S, 7000, 1), *second = crowd(51 * S, 5000, 1);
	struct snapshot *last = crowd(52 * S, 1, HISTORY_PROCESSES - 1);
	struct history *history;

	assert_int_equal(history_new(&history), 0);
	first->devices[0].index = 4; /* a device that is not seen again */
	assert_int_equal(history_add(history, first, 2 * NS_PER_S), 0);
	assert_int_equal(history_add(history, second, 2 * NS_PER_S), 0);
	assert_int_equal(history_add(history, last, 2 * NS_PER_S), 0);
	assert_false(has_process(history, first, 0));
	assert_true(has_process(history, second, 0));
	assert_true(has_process(history, last, HISTORY_PROCESSES - 2));
	assert_non_null(history_of_device(history, &first->devices[0]));
	snapshot_free(first);
	snapshot_free(second);
	snapshot_free(last);
	history_free(history);
}

TEST(untracked_processes_take_no_room)
{
	struct snapshot *snapshot = machine(50 * S);
	struct history *history;

	assert_int_equal(history_new(&history), 0);
	add_process(snapshot, 12, 7, 400);
	snapshot->processes[0].usages[0].why[USE_DRAM] = NO_TRACKER;
	assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
	assert_null(history_of_process(history, &snapshot->processes[0], &snapshot->devices[0]));
	snapshot_free(snapshot);
	history_free(history);
}

/* A step takes at most 2 KB, so that a thousand of them fit into the memory of a screen. */
TEST(a_step_is_small)
{
	assert_true(sizeof(struct point) <= 48);
}

/*
 * With 1,000 new processes in each of 20 samples, the oldest are dropped and the newest are kept.
 */
TEST(processes_are_bounded)
{
	struct history *history;
	struct snapshot *first = NULL;

	assert_int_equal(history_new(&history), 0);
	for (int i = 0; i < 20; i++) {
		struct snapshot *snapshot = machine((50 + i) * S);

		for (int k = 0; k < 1000; k++)
			add_process(snapshot, 1 + i * 1000 + k, 1, 5);
		assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
		if (i == 19)
			assert_non_null(history_of_process(history, &snapshot->processes[999],
							   &snapshot->devices[0]));
		if (i == 0)
			first = snapshot;
		else
			snapshot_free(snapshot);
	}
	assert_null(history_of_process(history, &first->processes[0], &first->devices[0]));
	snapshot_free(first);
	history_free(history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_keeps_its_last_value_and_its_maximum),
		cmocka_unit_test(a_step_without_a_sample_is_a_gap),
		cmocka_unit_test(overwritten_steps_are_not_returned),
		cmocka_unit_test(an_unknown_sample_replaces_a_known_one),
		cmocka_unit_test(only_known_samples_of_two_moments_span_time),
		cmocka_unit_test(zero_is_a_value),
		cmocka_unit_test(a_step_in_a_reused_slot_has_its_own_maximum),
		cmocka_unit_test(unknown_values_are_not_a_maximum),
		cmocka_unit_test(the_maximum_covers_all_steps_completely),
		cmocka_unit_test(a_sample_counts_from_its_time_on_and_before_the_end),
		cmocka_unit_test(a_sample_holds_for_hold_ns_and_no_longer),
		cmocka_unit_test(devices_and_processes_are_kept),
		cmocka_unit_test(every_series_spans_ten_minutes),
		cmocka_unit_test(a_point_has_the_time_and_all_figures_of_its_snapshot),
		cmocka_unit_test(memory_is_known_if_dram_and_l1_are),
		cmocka_unit_test(a_process_without_a_pid_is_not_mistaken_for_the_device),
		cmocka_unit_test(a_reused_pid_is_another_process),
		cmocka_unit_test(processes_that_exited_before_the_span_are_dropped),
		cmocka_unit_test(the_span_starts_when_a_process_was_last_seen),
		cmocka_unit_test(running_processes_are_not_dropped_for_others),
		cmocka_unit_test(the_process_that_exited_first_is_dropped_first),
		cmocka_unit_test(untracked_processes_take_no_room),
		cmocka_unit_test(a_step_is_small),
		cmocka_unit_test(processes_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
