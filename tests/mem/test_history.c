/* Devices and processes have histories, memory is bounded, a reused pid is another process. */
#include "unit/unit.h"

#include "basic/clock.h"
#include "model/history.h"

#define S    NS_PER_S
#define HOUR (3600 * S)

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

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
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

TEST(devices_have_ten_minutes_and_processes_an_hour)
{
	struct snapshot *snapshot = machine(50 * S);
	const struct device *dev = &snapshot->devices[0];
	struct history *history;
	const struct series *series;
	struct metric_range range;

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
	add_process(snapshot, 12, 7, 400);
	for (int i = 0; i < 7200; i++) {
		snapshot->taken_ns += S;
		assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
	}
	series = history_of_device(history, dev);
	assert_true(series->step_ns == S);
	assert_int_equal(series->count, 600);
	assert_true(series_at(series, 0)->time_ns == snapshot->taken_ns - 599 * S);
	series = history_of_process(history, &snapshot->processes[0], dev);
	assert_true(series_range(series, snapshot->taken_ns - HOUR,
				 snapshot->taken_ns - HOUR + 90 * S, &range));
	assert_near(range.low, 400);
	assert_near(range.high, 400);
	assert_true(series->step_ns == 96 * S);
	snapshot_free(snapshot);
	history_free(history);
}

TEST(only_what_was_requested_is_kept)
{
	struct snapshot *snapshot = machine(50 * S);
	const struct device *dev = &snapshot->devices[0];

	add_process(snapshot, 12, 7, 400);
	for (unsigned kept = 0; kept < 4; kept++) {
		struct history *history;

		assert_int_equal(history_new(&history, kept), 0);
		assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
		assert_int_equal(history_of_device(history, dev)->peak[POOL_DRAM], 1000);
		assert_int_equal(history_of_device(history, dev)->count,
				 kept & HISTORY_DEVICE_MEMORY ? 1 : 0);
		assert_int_equal(history_of_process(history, &snapshot->processes[0], dev) != NULL,
				 (kept & HISTORY_PROCESS_MEMORY) != 0);
		assert_true(history_knows(history, dev, METRIC_DRAM));
		history_free(history);
	}
	snapshot_free(snapshot);
}

TEST(a_point_has_the_time_and_all_figures_of_its_snapshot)
{
	struct snapshot *snapshot = machine(50 * S);
	struct history *history;
	const struct series *series;

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
	snapshot->asked_ns = 40 * S; /* its processes are those of the sample at that time */
	add_process(snapshot, 12, 7, 400);
	snapshot->processes[0].usages[0].bytes[POOL_L1] = 30;
	assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
	series = history_of_process(history, &snapshot->processes[0], &snapshot->devices[0]);
	assert_true(series->first.time_ns == 50 * S);
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

		assert_int_equal(
			history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
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

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
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

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
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

TEST(processes_that_exited_long_ago_are_dropped)
{
	struct snapshot *first = machine(50 * S), *second = machine(50 * S + HISTORY_EXITED_NS + 1);
	struct history *history;

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
	add_process(first, 12, 7, 400);
	assert_int_equal(history_add(history, first, 2 * NS_PER_S), 0);
	assert_int_equal(history_add(history, second, 2 * NS_PER_S), 0);
	assert_null(history_of_process(history, &first->processes[0], &first->devices[0]));
	assert_non_null(history_of_device(history, &first->devices[0]));
	snapshot_free(first);
	snapshot_free(second);
	history_free(history);
}

TEST(the_time_starts_when_a_process_was_last_seen)
{
	struct snapshot *first = machine(50 * S), *again = machine(350 * S);
	struct snapshot *last = machine(350 * S + HISTORY_EXITED_NS);
	struct history *history;

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
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

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
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

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
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

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
	add_process(snapshot, 12, 7, 400);
	snapshot->processes[0].usages[0].why[USE_DRAM] = NO_TRACKER;
	assert_int_equal(history_add(history, snapshot, 2 * NS_PER_S), 0);
	assert_null(history_of_process(history, &snapshot->processes[0], &snapshot->devices[0]));
	snapshot_free(snapshot);
	history_free(history);
}

/* A process takes at most 2.5 KB, so that a thousand of them fit into the memory of a screen. */
TEST(a_process_is_small)
{
	assert_true(40 * sizeof(struct point) + sizeof(struct series) <= 2500);
}

/*
 * With 1,000 new processes in each of 20 samples, the oldest are dropped and the newest are kept.
 */
TEST(processes_are_bounded)
{
	struct history *history;
	struct snapshot *first = NULL;

	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
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
		cmocka_unit_test(devices_and_processes_are_kept),
		cmocka_unit_test(devices_have_ten_minutes_and_processes_an_hour),
		cmocka_unit_test(only_what_was_requested_is_kept),
		cmocka_unit_test(a_point_has_the_time_and_all_figures_of_its_snapshot),
		cmocka_unit_test(memory_is_known_if_dram_and_l1_are),
		cmocka_unit_test(a_process_without_a_pid_is_not_mistaken_for_the_device),
		cmocka_unit_test(a_reused_pid_is_another_process),
		cmocka_unit_test(processes_that_exited_long_ago_are_dropped),
		cmocka_unit_test(the_time_starts_when_a_process_was_last_seen),
		cmocka_unit_test(running_processes_are_not_dropped_for_others),
		cmocka_unit_test(the_process_that_exited_first_is_dropped_first),
		cmocka_unit_test(untracked_processes_take_no_room),
		cmocka_unit_test(a_process_is_small),
		cmocka_unit_test(processes_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
