/*
 * Which origin to believe, and what follows for the device: examples of each
 * rule, then thousands of random machines on which the rules must hold.
 */
#include "model/merge.h"
#include "unit.h"

#define MIB UINT64_C(1048576)

static struct snapshot *machine;

static struct device *add_device(uint32_t index)
{
	struct device dev;

	device_init(&dev, index);
	dev.memory_total[POOL_DRAM] = 12288 * MIB;
	dev.memory_total[POOL_L1] = 100 * MIB;
	dev.why[DEV_DRAM_TOTAL] = dev.why[DEV_L1_TOTAL] = KNOWN;
	dev.holders_known = true;
	return snapshot_add_device(machine, &dev);
}

static struct process *add_holder(int32_t pid, size_t device)
{
	struct process *process = snapshot_add_process(machine, pid);

	assert_non_null(process_use(process, device));
	return process;
}

/* Two devices; process 10 on the first, 20 on both. */
static int make_machine(void **state)
{
	(void)state;
	if (snapshot_new(&machine) < 0 || !add_device(0) || !add_device(1))
		return -1;
	add_holder(10, 0);
	add_holder(20, 0);
	add_holder(20, 1);
	return 0;
}

static int free_machine(void **state)
{
	(void)state;
	machine = snapshot_free(machine);
	return 0;
}

static struct memory_report report(int32_t pid, size_t device, enum tracking source, uint64_t dram)
{
	return (struct memory_report){
		.pid = pid, .device = device, .source = source, .bytes[POOL_DRAM] = dram
	};
}

static struct usage *usage_of(int32_t pid, size_t device)
{
	return process_find_usage(snapshot_find_process(machine, pid), device);
}

#define MERGE(...)                                                       \
	do {                                                             \
		const struct memory_report reports_[] = { __VA_ARGS__ }; \
		merge_memory(machine, reports_, ARRAY_SIZE(reports_));   \
	} while (0)

TEST(a_single_report_is_the_processes_and_the_devices_memory)
{
	MERGE({ .pid = 10,
		.source = TRACKING_METAL,
		.bytes[POOL_DRAM] = 5,
		.bytes[POOL_TRACE] = 2,
		.bytes[POOL_L1] = 7,
		.bytes[POOL_L1_SMALL] = 3,
		.bytes[POOL_CB] = 11 });
	assert_int_equal(usage_of(10, 0)->bytes[POOL_DRAM], 7);
	assert_int_equal(usage_of(10, 0)->bytes[POOL_TRACE], 2);
	assert_int_equal(usage_of(10, 0)->bytes[POOL_L1], 10);
	assert_int_equal(usage_of(10, 0)->bytes[POOL_L1_SMALL], 3);
	assert_int_equal(usage_of(10, 0)->bytes[POOL_CB], 11);
	assert_int_equal(usage_of(10, 0)->tracking, TRACKING_METAL);
	assert_int_equal(usage_of(10, 0)->why[USE_PEAK_DRAM], NOT_REPORTED);
	assert_int_equal(machine->devices[0].memory_used[POOL_DRAM], 7);
	assert_int_equal(machine->devices[0].memory_used[POOL_TRACE], 2);
	assert_int_equal(machine->devices[0].memory_used[POOL_L1],
			 10); /* circular buffers stand apart */
	assert_int_equal(machine->devices[0].memory_used[POOL_L1_SMALL], 3);
	assert_int_equal(machine->devices[0].memory_used[POOL_CB], 11);
	assert_int_equal(machine->devices[0].memory_free[POOL_DRAM], 12288 * MIB - 7);
	assert_int_equal(machine->devices[0].memory_free[POOL_L1], 100 * MIB - 10);
	assert_near(machine->devices[0].memory_ratio, 7 / (12288.0 * (double)MIB));
}

TEST(the_best_origin_wins_whatever_the_order)
{
	static const enum tracking ranks[] = { TRACKING_METAL, TRACKING_TRACED, TRACKING_PRELOAD,
					       TRACKING_WIRE, TRACKING_TABLE };

	for (size_t i = 0; i < ARRAY_SIZE(ranks); i++)
		for (size_t k = 0; k < ARRAY_SIZE(ranks); k++) {
			enum tracking best = MAX(ranks[i], ranks[k]);

			free_machine(NULL);
			make_machine(NULL);
			MERGE(report(10, 0, ranks[i], 100 + ranks[i]),
			      report(10, 0, ranks[k], 100 + ranks[k]));
			assert_int_equal(usage_of(10, 0)->bytes[POOL_DRAM], 100 + best);
			assert_int_equal(usage_of(10, 0)->tracking, best);
		}
}

TEST(origins_are_never_added_up)
{
	MERGE(report(10, 0, TRACKING_METAL, 100), report(10, 0, TRACKING_METAL, 100),
	      report(10, 0, TRACKING_TABLE, 30));
	assert_int_equal(usage_of(10, 0)->bytes[POOL_DRAM], 30);
	assert_int_equal(machine->devices[0].memory_used[POOL_DRAM], 30);
}

TEST(of_two_equal_origins_the_first_stays)
{
	MERGE(report(10, 0, TRACKING_METAL, 100), report(10, 0, TRACKING_METAL, 200));
	assert_int_equal(usage_of(10, 0)->bytes[POOL_DRAM], 100);
}

TEST(parts_of_one_origin_add_up_and_do_not_wrap)
{
	struct memory_report whole = report(10, 0, TRACKING_TABLE, 100);
	struct memory_report part = report(10, 0, TRACKING_TABLE, 20);

	memory_report_add(&whole, &part);
	assert_int_equal(whole.bytes[POOL_DRAM], 120);
	part.bytes[POOL_DRAM] = UINT64_MAX;
	memory_report_add(&whole, &part);
	MERGE(whole);
	assert_int_equal(usage_of(10, 0)->why[USE_DRAM], IMPLAUSIBLE);
}

TEST(a_better_origin_that_is_impossible_hides_the_lesser_one)
{
	/* It is the one that counts; a figure beside it would be a guess. */
	MERGE(report(10, 0, TRACKING_METAL, 100), report(10, 0, TRACKING_TABLE, UINT64_MAX));
	assert_int_equal(usage_of(10, 0)->why[USE_DRAM], IMPLAUSIBLE);
	assert_int_equal(usage_of(10, 0)->tracking, TRACKING_TABLE);
}

TEST(processes_of_a_device_add_up_and_devices_stay_apart)
{
	MERGE(report(10, 0, TRACKING_METAL, 100), report(20, 0, TRACKING_WIRE, 40),
	      report(20, 1, TRACKING_WIRE, 3));
	assert_int_equal(machine->devices[0].memory_used[POOL_DRAM], 140);
	assert_int_equal(machine->devices[1].memory_used[POOL_DRAM], 3);
	assert_true(machine->devices[0].memory_complete);
	assert_int_equal(machine->devices[0].processes, 2);
	assert_int_equal(machine->devices[1].processes, 1);
}

TEST(an_untracked_process_makes_used_a_lower_bound)
{
	MERGE(report(10, 0, TRACKING_METAL, 100));
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], KNOWN);
	assert_false(machine->devices[0].memory_complete);
	assert_int_equal(usage_of(20, 0)->why[USE_DRAM], NO_TRACKER);
	assert_int_equal(usage_of(20, 0)->tracking, TRACKING_NONE);
	assert_int_equal(machine->devices[1].why[DEV_DRAM_USED], NO_TRACKER);
	assert_int_equal(machine->devices[1].why[DEV_DRAM_FREE], NO_TRACKER);
}

TEST(a_device_that_nobody_holds_uses_nothing)
{
	add_device(2);
	merge_memory(machine, NULL, 0);
	assert_int_equal(machine->devices[2].why[DEV_DRAM_USED], KNOWN);
	assert_int_equal(machine->devices[2].memory_used[POOL_DRAM], 0);
	assert_int_equal(machine->devices[2].memory_free[POOL_DRAM], 12288 * MIB);
	assert_true(machine->devices[2].memory_complete);
}

TEST(who_holds_it_is_not_known_so_used_is_not_known_either)
{
	add_device(2)->holders_known = false;
	machine->devices[2].holders_why = DENIED;
	add_device(3)->unseen_holders = 1;
	merge_memory(machine, NULL, 0);
	assert_int_equal(machine->devices[2].why[DEV_DRAM_USED], DENIED);
	assert_int_equal(machine->devices[2].why[DEV_PROCESSES], DENIED);
	assert_int_equal(machine->devices[3].why[DEV_DRAM_USED], OTHER_NAMESPACE);
}

TEST(nobody_asked_for_holders_so_used_is_not_zero)
{
	struct device dev;

	device_init(&dev, 9);
	snapshot_add_device(machine, &dev);
	merge_memory(machine, NULL, 0);
	assert_int_equal(machine->devices[2].why[DEV_DRAM_USED], NOT_ASKED);
	assert_int_equal(machine->devices[2].why[DEV_PROCESSES], NOT_ASKED);
}

TEST(a_report_beyond_the_chip_is_impossible_not_cut)
{
	MERGE(report(10, 0, TRACKING_METAL, 12288 * MIB + 1), report(20, 0, TRACKING_METAL, 5));
	assert_int_equal(usage_of(10, 0)->why[USE_DRAM], IMPLAUSIBLE);
	assert_int_equal(usage_of(10, 0)->why[USE_TRACKING], KNOWN);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], KNOWN);
	assert_int_equal(machine->devices[0].memory_used[POOL_DRAM], 5);
	assert_false(machine->devices[0].memory_complete);
}

TEST(reports_that_are_possible_alone_and_not_together_hide_the_sum)
{
	MERGE(report(10, 0, TRACKING_METAL, 8000 * MIB), report(20, 0, TRACKING_METAL, 8000 * MIB));
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], IMPLAUSIBLE);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_FREE], IMPLAUSIBLE);
	assert_int_equal(machine->devices[0].why[DEV_MEMORY_RATIO], IMPLAUSIBLE);
}

TEST(sums_do_not_wrap)
{
	machine->devices[0].why[DEV_DRAM_TOTAL] = UNKNOWN_BOARD; /* nothing bounds them */
	MERGE(report(10, 0, TRACKING_METAL, UINT64_MAX), report(20, 0, TRACKING_METAL, 2));
	assert_int_equal(usage_of(10, 0)->why[USE_DRAM], KNOWN);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], IMPLAUSIBLE);

	free_machine(NULL);
	make_machine(NULL);
	machine->devices[0].why[DEV_DRAM_TOTAL] = UNKNOWN_BOARD;
	MERGE({ .pid = 10,
		.source = TRACKING_METAL,
		.bytes[POOL_DRAM] = UINT64_MAX,
		.bytes[POOL_TRACE] = 1 });
	assert_int_equal(usage_of(10, 0)->why[USE_DRAM], IMPLAUSIBLE);
}

TEST(used_is_known_where_the_total_is_not_and_free_is_not)
{
	machine->devices[0].why[DEV_DRAM_TOTAL] = UNKNOWN_BOARD;
	MERGE(report(10, 0, TRACKING_METAL, 5));
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], KNOWN);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_FREE], UNKNOWN_BOARD);
	assert_int_equal(machine->devices[0].why[DEV_MEMORY_RATIO], UNKNOWN_BOARD);
	assert_int_equal(machine->devices[0].why[DEV_L1_FREE], KNOWN);
}

TEST(reports_of_strangers_and_of_devices_that_are_not_there_are_ignored)
{
	MERGE(report(99, 0, TRACKING_TABLE, 100), report(10, 7, TRACKING_TABLE, 100),
	      report(10, SIZE_MAX, TRACKING_TABLE, 100));
	assert_null(snapshot_find_process(machine, 99));
	assert_int_equal(snapshot_find_process(machine, 10)->n_usages, 1);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], NO_TRACKER);
}

TEST(a_peak_is_never_below_the_present_and_never_beyond_the_chip)
{
	MERGE({ .pid = 10,
		.source = TRACKING_TABLE,
		.bytes[POOL_DRAM] = 5,
		.bytes[POOL_L1] = 5,
		.has_peak = true,
		.peak[POOL_DRAM] = 3,
		.peak[POOL_L1] = 9 },
	      { .pid = 20,
		.source = TRACKING_TABLE,
		.bytes[POOL_DRAM] = 5,
		.has_peak = true,
		.peak[POOL_DRAM] = UINT64_MAX,
		.peak[POOL_L1] = 0 });
	assert_int_equal(usage_of(10, 0)->peak[POOL_DRAM], 5);
	assert_int_equal(usage_of(10, 0)->peak[POOL_L1], 9);
	assert_int_equal(usage_of(20, 0)->why[USE_DRAM], KNOWN);
	assert_int_equal(usage_of(20, 0)->why[USE_PEAK_DRAM], IMPLAUSIBLE);
	assert_int_equal(usage_of(20, 0)->why[USE_PEAK_L1], KNOWN);
}

TEST(an_impossible_pool_does_not_hide_the_other_one)
{
	MERGE({ .pid = 10,
		.source = TRACKING_METAL,
		.bytes[POOL_DRAM] = 5,
		.bytes[POOL_L1] = 101 * MIB },
	      { .pid = 20,
		.source = TRACKING_METAL,
		.bytes[POOL_DRAM] = UINT64_MAX,
		.bytes[POOL_L1] = 7,
		.bytes[POOL_L1_SMALL] = 1 });
	assert_int_equal(usage_of(10, 0)->why[USE_DRAM], KNOWN);
	assert_int_equal(usage_of(10, 0)->why[USE_L1], IMPLAUSIBLE);
	assert_int_equal(usage_of(20, 0)->why[USE_DRAM], IMPLAUSIBLE);
	assert_int_equal(usage_of(20, 0)->why[USE_L1], KNOWN);
	assert_int_equal(machine->devices[0].memory_used[POOL_DRAM], 5);
	assert_int_equal(machine->devices[0].memory_used[POOL_L1], 8);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], KNOWN);
	assert_int_equal(machine->devices[0].why[DEV_L1_USED], KNOWN);
	assert_false(machine->devices[0].memory_complete);
}

TEST(what_was_not_seen_whole_makes_used_a_lower_bound)
{
	MERGE({ .pid = 10, .source = TRACKING_TRACED, .bytes[POOL_DRAM] = 5, .low = true },
	      { .pid = 20, .source = TRACKING_TRACED, .bytes[POOL_DRAM] = 2 });
	assert_int_equal(machine->devices[0].memory_used[POOL_DRAM], 7);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], KNOWN);
	assert_false(machine->devices[0].memory_complete);
	assert_false(usage_of(10, 0)->exact);
	assert_true(usage_of(20, 0)->exact);
}

TEST(who_traces_counts_buffers_and_no_circular_ones)
{
	MERGE({ .pid = 10,
		.source = TRACKING_TRACED,
		.bytes[POOL_DRAM] = 5,
		.has_held = true,
		.held = 3,
		.bytes[POOL_SYSTEM] = 8 });
	assert_int_equal(usage_of(10, 0)->allocations, 3);
	assert_int_equal(usage_of(10, 0)->bytes[POOL_SYSTEM], 8);
	assert_int_equal(usage_of(10, 0)->why[USE_ALLOCATIONS], KNOWN);
	assert_int_equal(usage_of(10, 0)->why[USE_SYSTEM], KNOWN);
	assert_int_equal(usage_of(10, 0)->why[USE_ALLOCS], NOT_REPORTED);
	assert_int_equal(usage_of(10, 0)->why[USE_CB], NOT_REPORTED);
	assert_int_equal(machine->devices[0].why[DEV_CB_USED], NOT_REPORTED);
}

TEST(who_opened_it_and_is_gone_is_not_in_another_namespace)
{
	add_device(2)->unseen_holders = 2;
	machine->devices[2].lost_openers = 2;
	add_device(3)->unseen_holders = 2;
	machine->devices[3].lost_openers = 1;
	merge_memory(machine, NULL, 0);
	assert_int_equal(machine->devices[2].why[DEV_DRAM_USED], HOLDER_UNKNOWN);
	assert_int_equal(machine->devices[3].why[DEV_DRAM_USED], OTHER_NAMESPACE);
}

/* ---- monitors ---- */

static struct process *make_monitor(int32_t pid)
{
	struct process *process = snapshot_find_process(machine, pid);

	process->evidence.role = (struct role_evidence){
		.uid_is_root = true,
		.exe_read = true,
		.exe_listed = true,
		.exe_protected = true,
		.code_read = true,
	};
	return process;
}

TEST(a_monitor_leaves_no_memory_unknown)
{
	make_monitor(20);
	MERGE(report(10, 0, TRACKING_METAL, 100));
	assert_int_equal(machine->devices[0].memory_used[POOL_DRAM], 100);
	assert_true(machine->devices[0].memory_complete);
	assert_int_equal(machine->devices[0].processes, 2);
	assert_int_equal(snapshot_find_process(machine, 20)->role, ROLE_MONITOR);
	assert_int_equal(snapshot_find_process(machine, 10)->role, ROLE_JOB);
}

TEST(where_only_monitors_are_nothing_is_used)
{
	make_monitor(20);
	usage_blame(usage_of(20, 1), DENIED);
	merge_memory(machine, NULL, 0);
	assert_int_equal(machine->devices[1].why[DEV_DRAM_USED], KNOWN);
	assert_int_equal(machine->devices[1].why[DEV_L1_USED], KNOWN);
	assert_int_equal(machine->devices[1].why[DEV_CB_USED], KNOWN);
	assert_int_equal(machine->devices[1].memory_used[POOL_DRAM], 0);
	assert_int_equal(machine->devices[1].memory_free[POOL_DRAM], 12288 * MIB);
	assert_true(machine->devices[1].memory_complete);
	assert_int_equal(machine->devices[1].processes, 1);
	assert_int_equal(usage_of(20, 1)->why[USE_DRAM], NOT_APPLICABLE);
	assert_int_equal(usage_of(20, 1)->why[USE_TRACKING], KNOWN);
	/* The other one has a job too, of which nothing is known. */
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], NO_TRACKER);
	assert_false(machine->devices[0].memory_complete);
}

TEST(a_monitor_that_reports_memory_is_a_job)
{
	make_monitor(20);
	MERGE(report(10, 0, TRACKING_METAL, 100), report(20, 1, TRACKING_TABLE, 0));
	assert_int_equal(snapshot_find_process(machine, 20)->role, ROLE_JOB);
	assert_int_equal(machine->devices[1].memory_used[POOL_DRAM], 0);
	assert_true(machine->devices[1].memory_complete);
	/* Of the other device it has said nothing. */
	assert_false(machine->devices[0].memory_complete);
	assert_int_equal(usage_of(20, 0)->why[USE_DRAM], NO_TRACKER);
}

TEST(a_monitor_that_probes_follow_is_a_job)
{
	make_monitor(20);
	usage_blame(usage_of(20, 1), TRACE_MISSED_FREE);
	merge_memory(machine, NULL, 0);
	assert_int_equal(snapshot_find_process(machine, 20)->role, ROLE_JOB);
	assert_int_equal(machine->devices[1].why[DEV_DRAM_USED], TRACE_MISSED_FREE);
}

TEST(what_was_told_of_another_process_with_this_pid_is_not_believed)
{
	struct process *process = snapshot_find_process(machine, 20);

	process->evidence.role =
		(struct role_evidence){ .told = ROLE_TOLD_MONITOR, .told_start = 7 };
	process->start_ticks = 8;
	merge_memory(machine, NULL, 0);
	assert_int_equal(process->role, ROLE_JOB);
	process->evidence.role =
		(struct role_evidence){ .told = ROLE_TOLD_MONITOR, .told_start = 8 };
	merge_memory(machine, NULL, 0);
	assert_int_equal(process->role, ROLE_MONITOR);
}

/* --- any machine, any reports --- */

static uint64_t seed = 20251115;

/* Mostly sensible figures, now and then one from a broken or hostile writer. */
static uint64_t random_bytes(uint64_t around)
{
	switch (random_below(&seed, 12)) {
	case 0: return UINT64_MAX - random_below(&seed, 3);
	case 1: return UINT64_C(1) << 63;
	case 2: return around;
	case 3: return around + 1;
	case 4: return random_next(&seed);
	case 5: return 0;
	default: return random_next(&seed) % (around / 8);
	}
}

static void make_random_machine(void)
{
	static const enum reason whys[] = { NOT_OFFERED, DENIED, TIMED_OUT, GONE };
	unsigned n_devices = 1 + random_below(&seed, 4), n_holders = random_below(&seed, 12);

	assert_int_equal(snapshot_new(&machine), 0);
	for (unsigned i = 0; i < n_devices; i++) {
		struct device *dev = add_device(i);

		if (random_below(&seed, 5) == 0)
			dev->why[DEV_DRAM_TOTAL] = UNKNOWN_BOARD;
		if (random_below(&seed, 5) == 0)
			dev->why[DEV_L1_TOTAL] = UNKNOWN_FIRMWARE;
		if (random_below(&seed, 4) == 0) {
			dev->holders_known = false;
			dev->holders_why = whys[random_below(&seed, ARRAY_SIZE(whys))];
		}
		dev->unseen_holders = random_below(&seed, 4) == 0;
	}
	for (unsigned i = 0; i < n_holders; i++)
		add_holder(1 + (int32_t)random_below(&seed, 8), random_below(&seed, n_devices));
}

static struct memory_report random_report(void)
{
	return (struct memory_report){
		.pid = (int32_t)random_below(&seed, 10),
		.device = random_below(&seed, 5),
		.source = TRACKING_METAL + random_below(&seed, TRACKING_N - TRACKING_METAL),
		.bytes[POOL_DRAM] = random_bytes(12288 * MIB),
		.bytes[POOL_L1] = random_bytes(100 * MIB),
		.bytes[POOL_L1_SMALL] = random_bytes(100 * MIB),
		.bytes[POOL_TRACE] = random_bytes(12288 * MIB),
		.bytes[POOL_CB] = random_bytes(100 * MIB),
		.has_peak = random_below(&seed, 2),
		.peak[POOL_DRAM] = random_bytes(12288 * MIB),
		.peak[POOL_L1] = random_bytes(100 * MIB),
		.low = random_below(&seed, 4) == 0,
	};
}

/* A total that does not wrap at 2^64. */
typedef unsigned __int128 wide;

static void check_device(size_t d)
{
	const struct device *dev = &machine->devices[d];
	wide dram = 0, l1 = 0, trace = 0, small = 0, cb = 0;
	unsigned holders = 0, in_dram = 0, in_l1 = 0;
	bool low = false;

	for (size_t p = 0; p < machine->n_processes; p++) {
		const struct usage *usage = process_find_usage(&machine->processes[p], d);

		if (!usage)
			continue;
		holders++;
		low |= usage->why[USE_EXACT] == KNOWN && !usage->exact;
		if (usage->why[USE_DRAM] == KNOWN) {
			in_dram++;
			dram += usage->bytes[POOL_DRAM];
			trace += usage->bytes[POOL_TRACE];
		}
		if (usage->why[USE_L1] == KNOWN) {
			in_l1++;
			l1 += usage->bytes[POOL_L1];
			small += usage->bytes[POOL_L1_SMALL];
		}
		if (usage->why[USE_CB] == KNOWN)
			cb += usage->bytes[POOL_CB];
	}
	assert_int_equal(dev->processes, holders);
	if (device_knows(dev, DEV_DRAM_USED)) {
		assert_true(dev->memory_used[POOL_DRAM] == dram &&
			    dev->memory_used[POOL_TRACE] == trace);
		assert_true(dev->memory_used[POOL_TRACE] <= dev->memory_used[POOL_DRAM]);
		assert_true(!device_knows(dev, DEV_DRAM_TOTAL) ||
			    dev->memory_used[POOL_DRAM] <= dev->memory_total[POOL_DRAM]);
		assert_true(in_dram || (holders == 0 && dev->holders_known));
	}
	if (device_knows(dev, DEV_L1_USED)) {
		assert_true(dev->memory_used[POOL_L1] == l1 &&
			    dev->memory_used[POOL_L1_SMALL] == small);
		assert_true(dev->memory_used[POOL_L1_SMALL] <= dev->memory_used[POOL_L1]);
		assert_true(!device_knows(dev, DEV_L1_TOTAL) ||
			    dev->memory_used[POOL_L1] <= dev->memory_total[POOL_L1]);
		assert_true(in_l1 || (holders == 0 && dev->holders_known));
	}
	if (device_knows(dev, DEV_CB_USED))
		assert_true(dev->memory_used[POOL_CB] == cb);
	if (device_knows(dev, DEV_DRAM_FREE))
		assert_true(dev->memory_used[POOL_DRAM] + dev->memory_free[POOL_DRAM] ==
			    dev->memory_total[POOL_DRAM]);
	if (device_knows(dev, DEV_L1_FREE))
		assert_true(dev->memory_used[POOL_L1] + dev->memory_free[POOL_L1] ==
			    dev->memory_total[POOL_L1]);
	if (device_knows(dev, DEV_MEMORY_RATIO))
		assert_true(dev->memory_ratio >= 0 && dev->memory_ratio <= 1);
	if (dev->memory_complete)
		assert_true(in_dram == holders && in_l1 == holders && !low && dev->holders_known &&
			    !dev->unseen_holders);
	assert_int_equal(dev->why[DEV_DRAM_USED], dev->why[DEV_TRACE_USED]);
	assert_int_equal(dev->why[DEV_L1_USED], dev->why[DEV_L1_SMALL_USED]);
}

static bool is_report_of(const struct memory_report *report, const struct process *process,
			 size_t device)
{
	return report->pid == process->pid && report->device == device;
}

/* The usage is one report of the best rank, as it stands, or none at all. */
static void check_usage(const struct process *process, const struct usage *usage,
			const struct memory_report *reports, size_t count)
{
	const struct device *dev = &machine->devices[usage->device];
	enum tracking best = TRACKING_NONE;
	bool found = false;

	for (size_t i = 0; i < count; i++)
		if (is_report_of(&reports[i], process, usage->device))
			best = MAX(best, reports[i].source);
	assert_int_equal(usage->tracking, best);
	for (enum usage_field field = USE_DRAM; field <= USE_L1; field++)
		if (usage->why[field] != KNOWN)
			assert_int_equal(usage->why[field], best ? IMPLAUSIBLE : NO_TRACKER);
	for (size_t i = 0; i < count; i++)
		found |=
			is_report_of(&reports[i], process, usage->device) &&
			reports[i].source == best && usage->exact == !reports[i].low &&
			(usage->why[USE_DRAM] != KNOWN ||
			 (usage->bytes[POOL_TRACE] == reports[i].bytes[POOL_TRACE] &&
			  (wide)usage->bytes[POOL_DRAM] == (wide)reports[i].bytes[POOL_DRAM] +
								   reports[i].bytes[POOL_TRACE])) &&
			(usage->why[USE_L1] != KNOWN ||
			 (wide)usage->bytes[POOL_L1] ==
				 (wide)reports[i].bytes[POOL_L1] + reports[i].bytes[POOL_L1_SMALL]);
	assert_true(found || !best);
	if (usage->why[USE_DRAM] == KNOWN && device_knows(dev, DEV_DRAM_TOTAL))
		assert_true(usage->bytes[POOL_DRAM] <= dev->memory_total[POOL_DRAM]);
	if (usage->why[USE_L1] == KNOWN && device_knows(dev, DEV_L1_TOTAL))
		assert_true(usage->bytes[POOL_L1] <= dev->memory_total[POOL_L1]);
	if (usage->why[USE_PEAK_DRAM] == KNOWN)
		assert_true(usage->peak[POOL_DRAM] >= usage->bytes[POOL_DRAM]);
	if (usage->why[USE_PEAK_DRAM] == KNOWN && device_knows(dev, DEV_DRAM_TOTAL))
		assert_true(usage->peak[POOL_DRAM] <= dev->memory_total[POOL_DRAM]);
}

TEST(on_any_machine_the_numbers_add_up)
{
	unsigned known = 0, hidden = 0;

	for (unsigned turn = 0; turn < 20000; turn++) {
		struct memory_report reports[24];
		size_t count = random_below(&seed, ARRAY_SIZE(reports) + 1);

		make_random_machine();
		for (size_t i = 0; i < count; i++)
			reports[i] = random_report();
		merge_memory(machine, reports, count);
		for (size_t d = 0; d < machine->n_devices; d++) {
			check_device(d);
			known += device_knows(&machine->devices[d], DEV_DRAM_USED);
			hidden += machine->devices[d].why[DEV_DRAM_USED] == IMPLAUSIBLE;
		}
		for (size_t p = 0; p < machine->n_processes; p++)
			for (size_t u = 0; u < machine->processes[p].n_usages; u++)
				check_usage(&machine->processes[p],
					    &machine->processes[p].usages[u], reports, count);
		free_machine(NULL);
	}
	/* The generator must reach both sides of each rule. */
	assert_true(known > 1000 && hidden > 100);
}

/* A list of one allocation with this number. */
static struct allocation_list list_of(uint64_t id)
{
	struct allocation_list list = { .why = KNOWN };

	assert_int_equal(allocation_list_add(&list, &(struct allocation){ .id = id }), 0);
	return list;
}

TEST(lists_of_one_process_are_joined_and_move_to_it)
{
	struct allocation_list first = list_of(1), second = list_of(2), lesser = list_of(3);
	struct memory_report whole = report(10, 0, TRACKING_TABLE, 5), part = whole;
	struct memory_report other = report(10, 0, TRACKING_TRACED, 50);
	const struct allocation_list *list = &usage_of(10, 0)->list;

	whole.list = &first;
	part.list = &second;
	other.list = &lesser;
	memory_report_add(&whole, &part);
	MERGE(other, whole);
	assert_int_equal(list->why, KNOWN);
	assert_false(list->cut);
	assert_int_equal(list->count, 2);
	assert_int_equal(list->items[0].id, 1);
	assert_int_equal(list->items[1].id, 2);
	assert_int_equal(first.count, 0);
	assert_null(first.items);
	assert_int_equal(second.count, 0);
	allocation_list_reset(&lesser, KNOWN);
}

TEST(the_list_of_a_lesser_origin_does_not_stand_beside_better_figures)
{
	struct allocation_list lesser = list_of(3);
	struct memory_report other = report(10, 0, TRACKING_TRACED, 50);

	other.list = &lesser;
	MERGE(report(10, 0, TRACKING_TABLE, 5), other);
	assert_int_equal(usage_of(10, 0)->list.count, 0);
	assert_int_not_equal(usage_of(10, 0)->list.why, KNOWN);
	allocation_list_reset(&lesser, KNOWN);
}

TEST(a_part_without_a_list_is_missing_in_the_joined_one)
{
	struct allocation_list first = list_of(1);
	struct memory_report whole = report(10, 0, TRACKING_TABLE, 5), part = whole;

	whole.list = &first;
	memory_report_add(&whole, &part);
	MERGE(whole);
	assert_int_equal(usage_of(10, 0)->list.count, 1);
	assert_true(usage_of(10, 0)->list.cut);
}

/* Device 0 gets a second chip, behind it: then the devices are 0, 0R and 1. */
static struct device *add_remote(enum arch arch)
{
	struct device dev;

	device_init(&dev, 0);
	dev.remote = true;
	dev.gateway = 0;
	dev.arch = arch;
	dev.memory_total[POOL_DRAM] = 12288 * MIB;
	dev.why[DEV_DRAM_TOTAL] = KNOWN;
	dev.holders_why = NO_PCIE;
	free_machine(NULL);
	assert_int_equal(snapshot_new(&machine), 0);
	add_device(0);
	add_device(1);
	assert_non_null(snapshot_add_device(machine, &dev));
	assert_true(machine->devices[1].remote);
	return &machine->devices[1];
}

TEST(a_chip_behind_a_gateway_that_nobody_holds_is_empty)
{
	const struct device *remote = add_remote(ARCH_WORMHOLE);

	merge_memory(machine, NULL, 0);
	assert_int_equal(remote->why[DEV_DRAM_USED], KNOWN);
	assert_int_equal(remote->memory_used[POOL_DRAM], 0);
	assert_true(remote->memory_complete);
	assert_int_equal(remote->processes, 0);
}

TEST(a_holder_of_the_gateway_without_a_report_there_holds_nothing_behind_it)
{
	const struct device *remote = add_remote(ARCH_WORMHOLE);

	add_holder(10, 0);
	add_holder(20, 0);
	MERGE(report(10, 0, TRACKING_METAL, 5), report(20, 0, TRACKING_METAL, 6),
	      report(20, 1, TRACKING_METAL, 7));
	assert_int_equal(remote->memory_used[POOL_DRAM], 7);
	assert_true(remote->memory_complete);
	assert_int_equal(remote->why[DEV_PROCESSES], KNOWN);
	assert_int_equal(remote->processes, 1);
	assert_int_equal(machine->devices[0].memory_used[POOL_DRAM], 11);
}

TEST(an_untracked_holder_of_the_gateway_makes_the_chip_behind_it_unknown)
{
	const struct device *remote = add_remote(ARCH_WORMHOLE);

	add_holder(10, 0);
	merge_memory(machine, NULL, 0);
	assert_int_equal(remote->why[DEV_DRAM_USED], NO_TRACKER);
	assert_int_equal(remote->why[DEV_PROCESSES], NO_TRACKER);
	/* With a tracked one beside it, at least that is known. */
	add_holder(20, 0);
	MERGE(report(20, 1, TRACKING_METAL, 7));
	assert_int_equal(remote->memory_used[POOL_DRAM], 7);
	assert_false(remote->memory_complete);
	assert_int_equal(remote->why[DEV_PROCESSES], NO_TRACKER);
}

TEST(holders_of_a_gateway_that_cannot_be_seen_leave_the_chip_behind_it_unknown)
{
	const struct device *remote = add_remote(ARCH_WORMHOLE);

	machine->devices[0].unseen_holders = 1;
	merge_memory(machine, NULL, 0);
	assert_int_equal(remote->why[DEV_DRAM_USED], OTHER_NAMESPACE);
	assert_int_equal(remote->unseen_holders, 0); /* counted once, on the gateway */
}

TEST(the_missing_chip_of_a_p300_is_unknown)
{
	const struct device *remote = add_remote(ARCH_BLACKHOLE);

	merge_memory(machine, NULL, 0);
	assert_int_equal(remote->why[DEV_DRAM_USED], NO_PCIE);
}

#define ON(test) cmocka_unit_test_setup_teardown(test, make_machine, free_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(a_single_report_is_the_processes_and_the_devices_memory),
		ON(the_best_origin_wins_whatever_the_order),
		ON(origins_are_never_added_up),
		ON(of_two_equal_origins_the_first_stays),
		ON(parts_of_one_origin_add_up_and_do_not_wrap),
		ON(a_better_origin_that_is_impossible_hides_the_lesser_one),
		ON(processes_of_a_device_add_up_and_devices_stay_apart),
		ON(an_untracked_process_makes_used_a_lower_bound),
		ON(a_device_that_nobody_holds_uses_nothing),
		ON(who_holds_it_is_not_known_so_used_is_not_known_either),
		ON(nobody_asked_for_holders_so_used_is_not_zero),
		ON(a_report_beyond_the_chip_is_impossible_not_cut),
		ON(reports_that_are_possible_alone_and_not_together_hide_the_sum),
		ON(sums_do_not_wrap),
		ON(used_is_known_where_the_total_is_not_and_free_is_not),
		ON(reports_of_strangers_and_of_devices_that_are_not_there_are_ignored),
		ON(a_peak_is_never_below_the_present_and_never_beyond_the_chip),
		ON(an_impossible_pool_does_not_hide_the_other_one),
		ON(what_was_not_seen_whole_makes_used_a_lower_bound),
		ON(who_traces_counts_buffers_and_no_circular_ones),
		ON(who_opened_it_and_is_gone_is_not_in_another_namespace),
		ON(lists_of_one_process_are_joined_and_move_to_it),
		ON(the_list_of_a_lesser_origin_does_not_stand_beside_better_figures),
		ON(a_part_without_a_list_is_missing_in_the_joined_one),
		ON(a_monitor_leaves_no_memory_unknown),
		ON(where_only_monitors_are_nothing_is_used),
		ON(a_monitor_that_reports_memory_is_a_job),
		ON(a_monitor_that_probes_follow_is_a_job),
		ON(what_was_told_of_another_process_with_this_pid_is_not_believed),
		ON(a_chip_behind_a_gateway_that_nobody_holds_is_empty),
		ON(a_holder_of_the_gateway_without_a_report_there_holds_nothing_behind_it),
		ON(an_untracked_holder_of_the_gateway_makes_the_chip_behind_it_unknown),
		ON(holders_of_a_gateway_that_cannot_be_seen_leave_the_chip_behind_it_unknown),
		ON(the_missing_chip_of_a_p300_is_unknown),
		cmocka_unit_test(on_any_machine_the_numbers_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
