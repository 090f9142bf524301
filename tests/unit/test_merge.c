/* Selection of sources, and the results for the device: an example of each rule. */
#include "merge_machine.h"

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

TEST(an_implausible_better_origin_hides_the_lesser_one)
{
	/* The better source takes precedence, though its figure is impossible. */
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

TEST(a_device_without_holders_uses_no_memory)
{
	add_device(2);
	merge_memory(machine, NULL, 0);
	assert_int_equal(machine->devices[2].why[DEV_DRAM_USED], KNOWN);
	assert_int_equal(machine->devices[2].memory_used[POOL_DRAM], 0);
	assert_int_equal(machine->devices[2].memory_free[POOL_DRAM], 12288 * MIB);
	assert_true(machine->devices[2].memory_complete);
}

TEST(unknown_holders_make_used_memory_unknown)
{
	add_device(2)->holders_known = false;
	machine->devices[2].holders_why = DENIED;
	add_device(3)->unseen_holders = 1;
	merge_memory(machine, NULL, 0);
	assert_int_equal(machine->devices[2].why[DEV_DRAM_USED], DENIED);
	assert_int_equal(machine->devices[2].why[DEV_PROCESSES], DENIED);
	assert_int_equal(machine->devices[3].why[DEV_DRAM_USED], OTHER_NAMESPACE);
}

TEST(without_a_request_for_holders_used_memory_is_not_zero)
{
	struct device dev;

	device_init(&dev, 9);
	snapshot_add_device(machine, &dev);
	merge_memory(machine, NULL, 0);
	assert_int_equal(machine->devices[2].why[DEV_DRAM_USED], NOT_ASKED);
	assert_int_equal(machine->devices[2].why[DEV_PROCESSES], NOT_ASKED);
}

TEST(a_report_beyond_the_capacity_is_implausible_not_truncated)
{
	MERGE(report(10, 0, TRACKING_METAL, 12288 * MIB + 1), report(20, 0, TRACKING_METAL, 5));
	assert_int_equal(usage_of(10, 0)->why[USE_DRAM], IMPLAUSIBLE);
	assert_int_equal(usage_of(10, 0)->why[USE_TRACKING], KNOWN);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], KNOWN);
	assert_int_equal(machine->devices[0].memory_used[POOL_DRAM], 5);
	assert_false(machine->devices[0].memory_complete);
}

TEST(an_implausible_sum_is_hidden)
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

TEST(with_an_unknown_total_used_is_known_and_free_is_not)
{
	machine->devices[0].why[DEV_DRAM_TOTAL] = UNKNOWN_BOARD;
	MERGE(report(10, 0, TRACKING_METAL, 5));
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], KNOWN);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_FREE], UNKNOWN_BOARD);
	assert_int_equal(machine->devices[0].why[DEV_MEMORY_RATIO], UNKNOWN_BOARD);
	assert_int_equal(machine->devices[0].why[DEV_L1_FREE], KNOWN);
}

TEST(reports_of_unknown_processes_and_devices_are_ignored)
{
	MERGE(report(99, 0, TRACKING_TABLE, 100), report(10, 7, TRACKING_TABLE, 100),
	      report(10, SIZE_MAX, TRACKING_TABLE, 100));
	assert_null(snapshot_find_process(machine, 99));
	assert_int_equal(snapshot_find_process(machine, 10)->n_usages, 1);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], NO_TRACKER);
}

TEST(a_peak_is_between_current_usage_and_capacity)
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

TEST(an_implausible_pool_does_not_hide_the_other_one)
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

TEST(incomplete_reports_make_used_a_lower_bound)
{
	MERGE({ .pid = 10, .source = TRACKING_TRACED, .bytes[POOL_DRAM] = 5, .low = true },
	      { .pid = 20, .source = TRACKING_TRACED, .bytes[POOL_DRAM] = 2 });
	assert_int_equal(machine->devices[0].memory_used[POOL_DRAM], 7);
	assert_int_equal(machine->devices[0].why[DEV_DRAM_USED], KNOWN);
	assert_false(machine->devices[0].memory_complete);
	assert_false(usage_of(10, 0)->exact);
	assert_true(usage_of(20, 0)->exact);
}

TEST(a_pool_that_a_report_says_nothing_of_is_not_reported)
{
	struct memory_report metal = report(10, 0, TRACKING_METAL, 5), other = metal;

	MERGE(metal);
	assert_int_equal(usage_of(10, 0)->why[USE_DRAM], KNOWN);
	assert_int_equal(usage_of(10, 0)->why[USE_CB], KNOWN);
	assert_int_equal(usage_of(10, 0)->why[USE_SYSTEM], NOT_REPORTED);
	assert_int_equal(usage_of(10, 0)->why[USE_KERNEL], NOT_REPORTED);
	/*
	 * If one of two reports does not know a pool, the sum is unknown, and so are the pools that
	 * are part of it.
	 */
	metal.source = other.source = TRACKING_TABLE;
	other.why[POOL_L1] = DENIED;
	memory_report_add(&metal, &other);
	MERGE(metal);
	assert_int_equal(usage_of(10, 0)->bytes[POOL_DRAM], 10);
	assert_int_equal(usage_of(10, 0)->why[USE_DRAM], KNOWN);
	assert_int_equal(usage_of(10, 0)->why[USE_L1], DENIED);
	assert_int_equal(usage_of(10, 0)->why[USE_L1_SMALL], DENIED);
	assert_int_equal(usage_of(10, 0)->why[USE_PEAK_L1], DENIED);
	assert_int_equal(machine->devices[0].why[DEV_L1_USED], DENIED);
}

TEST(tracing_does_not_count_circular_buffers)
{
	struct memory_report traced = report(10, 0, TRACKING_TRACED, 5);

	traced.has_held = true;
	traced.held = 3;
	traced.bytes[POOL_SYSTEM] = 8;
	MERGE(traced);
	assert_int_equal(usage_of(10, 0)->allocations, 3);
	assert_int_equal(usage_of(10, 0)->bytes[POOL_SYSTEM], 8);
	assert_int_equal(usage_of(10, 0)->why[USE_ALLOCATIONS], KNOWN);
	assert_int_equal(usage_of(10, 0)->why[USE_SYSTEM], KNOWN);
	assert_int_equal(usage_of(10, 0)->why[USE_ALLOCS], NOT_REPORTED);
	assert_int_equal(usage_of(10, 0)->why[USE_CB], NOT_REPORTED);
	assert_int_equal(machine->devices[0].why[DEV_CB_USED], NOT_REPORTED);
}

TEST(an_opener_that_exited_is_not_in_another_namespace)
{
	add_device(2)->unseen_holders = 2;
	machine->devices[2].lost_openers = 2;
	add_device(3)->unseen_holders = 2;
	machine->devices[3].lost_openers = 1;
	merge_memory(machine, NULL, 0);
	assert_int_equal(machine->devices[2].why[DEV_DRAM_USED], HOLDER_UNKNOWN);
	assert_int_equal(machine->devices[3].why[DEV_DRAM_USED], OTHER_NAMESPACE);
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

TEST(the_list_of_a_lesser_origin_is_not_shown_with_better_figures)
{
	struct allocation_list lesser = list_of(3);
	struct memory_report other = report(10, 0, TRACKING_TRACED, 50);

	other.list = &lesser;
	MERGE(report(10, 0, TRACKING_TABLE, 5), other);
	assert_int_equal(usage_of(10, 0)->list.count, 0);
	assert_int_not_equal(usage_of(10, 0)->list.why, KNOWN);
	allocation_list_reset(&lesser, KNOWN);
}

TEST(a_part_without_a_list_makes_the_joined_one_incomplete)
{
	struct allocation_list first = list_of(1);
	struct memory_report whole = report(10, 0, TRACKING_TABLE, 5), part = whole;

	whole.list = &first;
	memory_report_add(&whole, &part);
	MERGE(whole);
	assert_int_equal(usage_of(10, 0)->list.count, 1);
	assert_true(usage_of(10, 0)->list.cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(a_single_report_is_the_processes_and_the_devices_memory),
		ON_MACHINE(the_best_origin_wins_whatever_the_order),
		ON_MACHINE(origins_are_never_added_up),
		ON_MACHINE(of_two_equal_origins_the_first_stays),
		ON_MACHINE(parts_of_one_origin_add_up_and_do_not_wrap),
		ON_MACHINE(an_implausible_better_origin_hides_the_lesser_one),
		ON_MACHINE(processes_of_a_device_add_up_and_devices_stay_apart),
		ON_MACHINE(an_untracked_process_makes_used_a_lower_bound),
		ON_MACHINE(a_device_without_holders_uses_no_memory),
		ON_MACHINE(unknown_holders_make_used_memory_unknown),
		ON_MACHINE(without_a_request_for_holders_used_memory_is_not_zero),
		ON_MACHINE(a_report_beyond_the_capacity_is_implausible_not_truncated),
		ON_MACHINE(an_implausible_sum_is_hidden),
		ON_MACHINE(sums_do_not_wrap),
		ON_MACHINE(with_an_unknown_total_used_is_known_and_free_is_not),
		ON_MACHINE(reports_of_unknown_processes_and_devices_are_ignored),
		ON_MACHINE(a_peak_is_between_current_usage_and_capacity),
		ON_MACHINE(an_implausible_pool_does_not_hide_the_other_one),
		ON_MACHINE(incomplete_reports_make_used_a_lower_bound),
		ON_MACHINE(a_pool_that_a_report_says_nothing_of_is_not_reported),
		ON_MACHINE(tracing_does_not_count_circular_buffers),
		ON_MACHINE(an_opener_that_exited_is_not_in_another_namespace),
		ON_MACHINE(lists_of_one_process_are_joined_and_move_to_it),
		ON_MACHINE(the_list_of_a_lesser_origin_is_not_shown_with_better_figures),
		ON_MACHINE(a_part_without_a_list_makes_the_joined_one_incomplete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
