/* What occupies a device: jobs, and processes that cannot be examined, but not monitors. */
#include "model/occupancy.h"
#include "unit.h"

struct machine {
	struct snapshot *snapshot;
	struct process *process;
};

/* Device 0 of two is open in a process. */
static struct machine machine_new(void)
{
	struct machine machine;
	struct device dev;

	assert_int_equal(snapshot_new(&machine.snapshot), 0);
	for (uint32_t i = 0; i < 2; i++) {
		device_init(&dev, i);
		dev.holders_known = true;
		assert_non_null(snapshot_add_device(machine.snapshot, &dev));
	}
	machine.process = snapshot_add_process(machine.snapshot, 4711);
	assert_non_null(machine.process);
	assert_non_null(process_use(machine.process, 0));
	process_set_holding(machine.process, HOLDING_SEEN);
	process_set_role(machine.process, ROLE_JOB);
	return machine;
}

static void jobs_occupy_a_device(void **state)
{
	struct machine machine = machine_new();
	const struct process *job;

	(void)state;
	assert_int_equal(occupancy_of(machine.snapshot, 0, &job), OCCUPANCY_JOB);
	assert_ptr_equal(job, machine.process);
	assert_int_equal(occupancy_of(machine.snapshot, 1, &job), OCCUPANCY_FREE);
	assert_null(job);
	snapshot_free(machine.snapshot);
}

static void monitors_do_not(void **state)
{
	struct machine machine = machine_new();

	(void)state;
	process_set_role(machine.process, ROLE_MONITOR);
	assert_int_equal(occupancy_of(machine.snapshot, 0, NULL), OCCUPANCY_FREE);
	snapshot_free(machine.snapshot);
}

static void reports_and_remains_do_not(void **state)
{
	struct machine machine = machine_new();

	(void)state;
	process_set_holding(machine.process, HOLDING_COUNTERS);
	assert_int_equal(occupancy_of(machine.snapshot, 0, NULL), OCCUPANCY_FREE);
	process_set_holding(machine.process, HOLDING_LISTED);
	assert_int_equal(occupancy_of(machine.snapshot, 0, NULL), OCCUPANCY_JOB);
	machine.process->usages[0].stale = true;
	assert_int_equal(occupancy_of(machine.snapshot, 0, NULL), OCCUPANCY_FREE);
	snapshot_free(machine.snapshot);
}

static void unseen_and_unknown_holders_do(void **state)
{
	struct machine machine = machine_new();

	(void)state;
	process_set_role(machine.process, ROLE_MONITOR);
	machine.snapshot->devices[0].unseen_holders = 1;
	machine.snapshot->devices[1].holders_known = false;
	assert_int_equal(occupancy_of(machine.snapshot, 0, NULL), OCCUPANCY_UNSEEN);
	assert_int_equal(occupancy_of(machine.snapshot, 1, NULL), OCCUPANCY_UNKNOWN);
	snapshot_free(machine.snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_occupy_a_device),
		cmocka_unit_test(monitors_do_not),
		cmocka_unit_test(reports_and_remains_do_not),
		cmocka_unit_test(unseen_and_unknown_holders_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
