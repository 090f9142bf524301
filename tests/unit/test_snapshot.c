/* The snapshot keeps its order, finds its content, and frees what it must. */
#include "model/snapshot.h"
#include "shared_copy.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

static struct snapshot *machine;

static int make_machine(void **state)
{
	(void)state;
	return snapshot_new(&machine);
}

static int free_machine(void **state)
{
	(void)state;
	machine = snapshot_free(machine);
	return 0;
}

static void add(uint32_t index, bool remote)
{
	struct device dev;

	device_init(&dev, index);
	dev.remote = remote;
	assert_non_null(snapshot_add_device(machine, &dev));
}

TEST(ten_follows_two_and_a_remote_chip_its_gateway)
{
	static const uint32_t order[] = { 10, 2, 0, 31, 9, 1 };
	uint32_t last = 0;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		add(order[i], false);
	add(2, true);
	assert_int_equal(machine->n_devices, 7);
	for (size_t i = 0; i < machine->n_devices; i++) {
		assert_true(machine->devices[i].index >= last);
		last = machine->devices[i].index;
	}
	assert_int_equal(machine->devices[2].index, 2);
	assert_false(machine->devices[2].remote);
	assert_int_equal(machine->devices[3].index, 2);
	assert_true(machine->devices[3].remote);
}

TEST(a_gateway_is_sorted_before_its_remote_chip)
{
	add(4, true);
	add(4, false);
	assert_false(machine->devices[0].remote);
	assert_true(machine->devices[1].remote);
}

TEST(processes_are_found_by_pid_in_any_insertion_order)
{
	uint64_t seed = 99;

	for (unsigned i = 0; i < 500; i++) {
		int32_t pid = 1 + (int32_t)random_below(&seed, 300);

		assert_int_equal(snapshot_add_process(machine, pid)->pid, pid);
		assert_int_equal(snapshot_find_process(machine, pid)->pid, pid);
	}
	for (size_t i = 1; i < machine->n_processes; i++)
		assert_true(machine->processes[i - 1].pid < machine->processes[i].pid);
	assert_null(snapshot_find_process(machine, 0));
	assert_null(snapshot_find_process(machine, 301));
}

TEST(usage_of_dropped_devices_is_dropped)
{
	static const bool keep[] = { false, true, false, true };
	struct stale_usage stale = { .device = 3, .pid = 5 };

	for (uint32_t i = 0; i < 4; i++)
		add(i, false);
	process_use(snapshot_add_process(machine, 10), 0);
	snapshot_find_process(machine, 10)->command = shared_copy("gone with its device");
	process_use(snapshot_add_process(machine, 20), 3);
	process_use(snapshot_find_process(machine, 20), 2);
	process_use(snapshot_add_process(machine, 30), 1);
	assert_int_equal(snapshot_add_stale_usage(machine, &stale), 0);
	stale.device = 0;
	assert_int_equal(snapshot_add_stale_usage(machine, &stale), 0);

	snapshot_keep(machine, keep);
	assert_int_equal(machine->n_devices, 2);
	assert_int_equal(machine->devices[1].index, 3);
	assert_int_equal(machine->n_processes, 2);
	assert_null(snapshot_find_process(machine, 10));
	assert_int_equal(snapshot_find_process(machine, 20)->n_usages, 1);
	assert_int_equal(snapshot_find_process(machine, 20)->usages[0].device, 1);
	assert_int_equal(snapshot_find_process(machine, 30)->usages[0].device, 0);
	assert_int_equal(machine->n_stale_usages, 1);
	assert_int_equal(machine->stale_usages[0].device, 1);
}

TEST(problems_are_kept_in_order)
{
	for (int i = 0; i < 9; i++)
		snapshot_add_problem(machine, "test", "no. %d", i);
	assert_int_equal(machine->n_problems, 9);
	assert_string_equal(machine->problems[8].text, "no. 8");
	assert_string_equal(machine->problems[0].source, "test");
}

TEST(a_new_snapshot_knows_nothing)
{
	for (unsigned i = 0; i < HOST_N_FIELDS; i++)
		assert_int_not_equal(machine->host.why[i], KNOWN);
	assert_int_equal(machine->n_devices + machine->n_processes + machine->n_problems, 0);
	assert_null(snapshot_free(NULL));
}

TEST(borrowed_processes_outlive_their_owner)
{
	struct snapshot *later, *last;
	struct device dev;

	add(0, false);
	machine->devices[0].memory_used[POOL_DRAM] = 5;
	machine->devices[0].why[DEV_DRAM_USED] = KNOWN;
	process_use(snapshot_add_process(machine, 10), 0);
	machine->asked_ns = 7;
	device_init(&dev, 0);
	assert_int_equal(snapshot_new(&later), 0);
	assert_int_equal(snapshot_new(&last), 0);
	snapshot_add_problem(later, "test", "of its own");
	assert_non_null(snapshot_add_device(later, &dev));
	assert_non_null(snapshot_add_device(last, &dev));
	assert_true(snapshot_borrow(later, machine));
	assert_true(snapshot_borrow(last, later));
	snapshot_free(machine);
	assert_int_equal(snapshot_new(&machine), 0);
	snapshot_free(later);
	assert_int_equal(snapshot_find_process(last, 10)->n_usages, 1);
	assert_int_equal(last->devices[0].memory_used[POOL_DRAM], 5);
	assert_int_equal(last->devices[0].why[DEV_DRAM_USED], KNOWN);
	assert_true(last->asked_ns == 7);
	snapshot_free(last);
}

TEST(nothing_is_borrowed_if_the_devices_differ)
{
	struct snapshot *later;
	struct device dev;

	add(0, false);
	device_init(&dev, 1);
	assert_int_equal(snapshot_new(&later), 0);
	assert_false(snapshot_borrow(later, machine));
	assert_non_null(snapshot_add_device(later, &dev));
	assert_false(snapshot_borrow(later, machine));
	later->devices[0] = machine->devices[0];
	later->devices[0].state = DEVICE_LOST;
	assert_false(snapshot_borrow(later, machine));
	snapshot_free(later);
}

#define ON(test) cmocka_unit_test_setup_teardown(test, make_machine, free_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(ten_follows_two_and_a_remote_chip_its_gateway),
		ON(a_gateway_is_sorted_before_its_remote_chip),
		ON(processes_are_found_by_pid_in_any_insertion_order),
		ON(usage_of_dropped_devices_is_dropped),
		ON(problems_are_kept_in_order),
		ON(a_new_snapshot_knows_nothing),
		ON(borrowed_processes_outlive_their_owner),
		ON(nothing_is_borrowed_if_the_devices_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
