/* Thousands of random machines and reports for which the rules must hold. */
#include "merge_machine.h"

static uint64_t seed = 20251115;

/* Mostly plausible figures, sometimes one from a broken or hostile writer. */
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

/* What the processes on a device add up to. */
struct device_sums {
	wide bytes[POOL_COUNT];
	unsigned holders, in_dram, in_l1; /* processes; those with known figures */
	bool low;			  /* one of the figures is a lower bound */
};

static void sum_usage(const struct usage *usage, struct device_sums *sums)
{
	sums->holders++;
	sums->low |= usage->why[USE_EXACT] == KNOWN && !usage->exact;
	if (usage->why[USE_DRAM] == KNOWN) {
		sums->in_dram++;
		sums->bytes[POOL_DRAM] += usage->bytes[POOL_DRAM];
		sums->bytes[POOL_TRACE] += usage->bytes[POOL_TRACE];
	}
	if (usage->why[USE_L1] == KNOWN) {
		sums->in_l1++;
		sums->bytes[POOL_L1] += usage->bytes[POOL_L1];
		sums->bytes[POOL_L1_SMALL] += usage->bytes[POOL_L1_SMALL];
	}
	if (usage->why[USE_CB] == KNOWN)
		sums->bytes[POOL_CB] += usage->bytes[POOL_CB];
}

/* A pool that contains another one: DRAM with TRACE, L1 with L1_SMALL. */
static void check_pool(const struct device *dev, const struct device_sums *sums, enum pool pool,
		       enum pool part, enum device_field total, unsigned known)
{
	assert_true(dev->memory_used[pool] == sums->bytes[pool] &&
		    dev->memory_used[part] == sums->bytes[part]);
	assert_true(dev->memory_used[part] <= dev->memory_used[pool]);
	assert_true(!device_knows(dev, total) || dev->memory_used[pool] <= dev->memory_total[pool]);
	assert_true(known || (sums->holders == 0 && dev->holders_known));
}

static void check_free(const struct device *dev, enum device_field field, enum pool pool)
{
	if (device_knows(dev, field))
		assert_true(dev->memory_used[pool] + dev->memory_free[pool] ==
			    dev->memory_total[pool]);
}

static void check_device(size_t d)
{
	const struct device *dev = &machine->devices[d];
	struct device_sums sums = { 0 };

	for (size_t p = 0; p < machine->n_processes; p++) {
		const struct usage *usage = process_find_usage(&machine->processes[p], d);

		if (usage)
			sum_usage(usage, &sums);
	}
	assert_int_equal(dev->processes, sums.holders);
	if (device_knows(dev, DEV_DRAM_USED))
		check_pool(dev, &sums, POOL_DRAM, POOL_TRACE, DEV_DRAM_TOTAL, sums.in_dram);
	if (device_knows(dev, DEV_L1_USED))
		check_pool(dev, &sums, POOL_L1, POOL_L1_SMALL, DEV_L1_TOTAL, sums.in_l1);
	if (device_knows(dev, DEV_CB_USED))
		assert_true(dev->memory_used[POOL_CB] == sums.bytes[POOL_CB]);
	check_free(dev, DEV_DRAM_FREE, POOL_DRAM);
	check_free(dev, DEV_L1_FREE, POOL_L1);
	if (device_knows(dev, DEV_MEMORY_RATIO))
		assert_true(dev->memory_ratio >= 0 && dev->memory_ratio <= 1);
	if (dev->memory_complete)
		assert_true(sums.in_dram == sums.holders && sums.in_l1 == sums.holders &&
			    !sums.low && dev->holders_known && !dev->unseen_holders);
	assert_int_equal(dev->why[DEV_DRAM_USED], dev->why[DEV_TRACE_USED]);
	assert_int_equal(dev->why[DEV_L1_USED], dev->why[DEV_L1_SMALL_USED]);
}

static bool is_report_of(const struct memory_report *report, const struct process *process,
			 size_t device)
{
	return report->pid == process->pid && report->device == device;
}

/* The usage is exactly one report of the best rank, or none at all. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_any_machine_the_numbers_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
