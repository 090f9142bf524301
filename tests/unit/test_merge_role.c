/* Memory with monitors among the holders, and memory of chips behind another one. */
#include "merge_machine.h"

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

TEST(with_only_monitors_no_memory_is_used)
{
	make_monitor(20);
	usage_set_reason(usage_of(20, 1), DENIED);
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
	/* Device 0 has a job too, whose memory is unknown. */
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
	/* It has reported nothing for the other device. */
	assert_false(machine->devices[0].memory_complete);
	assert_int_equal(usage_of(20, 0)->why[USE_DRAM], NO_TRACKER);
}

TEST(a_traced_monitor_is_a_job)
{
	make_monitor(20);
	usage_set_reason(usage_of(20, 1), TRACE_MISSED_FREE);
	merge_memory(machine, NULL, 0);
	assert_int_equal(snapshot_find_process(machine, 20)->role, ROLE_JOB);
	assert_int_equal(machine->devices[1].why[DEV_DRAM_USED], TRACE_MISSED_FREE);
}

TEST(a_role_reported_for_an_earlier_process_with_this_pid_is_ignored)
{
	struct process *process = snapshot_find_process(machine, 20);

	process->evidence.role =
		(struct role_evidence){ .reported = ROLE_REPORTED_MONITOR, .reported_start = 7 };
	process->start_ticks = 8;
	merge_memory(machine, NULL, 0);
	assert_int_equal(process->role, ROLE_JOB);
	process->evidence.role =
		(struct role_evidence){ .reported = ROLE_REPORTED_MONITOR, .reported_start = 8 };
	merge_memory(machine, NULL, 0);
	assert_int_equal(process->role, ROLE_MONITOR);
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

TEST(a_chip_behind_a_gateway_without_holders_is_empty)
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
	/* A tracked job on the gateway's device makes a lower bound known. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(a_monitor_leaves_no_memory_unknown),
		ON_MACHINE(with_only_monitors_no_memory_is_used),
		ON_MACHINE(a_monitor_that_reports_memory_is_a_job),
		ON_MACHINE(a_traced_monitor_is_a_job),
		ON_MACHINE(a_role_reported_for_an_earlier_process_with_this_pid_is_ignored),
		ON_MACHINE(a_chip_behind_a_gateway_without_holders_is_empty),
		ON_MACHINE(a_holder_of_the_gateway_without_a_report_there_holds_nothing_behind_it),
		ON_MACHINE(an_untracked_holder_of_the_gateway_makes_the_chip_behind_it_unknown),
		ON_MACHINE(
			holders_of_a_gateway_that_cannot_be_seen_leave_the_chip_behind_it_unknown),
		ON_MACHINE(the_missing_chip_of_a_p300_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
