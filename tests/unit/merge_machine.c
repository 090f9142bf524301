#include "merge_machine.h"

struct snapshot *machine;

struct device *add_device(uint32_t index)
{
	struct device dev;

	device_init(&dev, index);
	dev.memory_total[POOL_DRAM] = 12288 * MIB;
	dev.memory_total[POOL_L1] = 100 * MIB;
	dev.why[DEV_DRAM_TOTAL] = dev.why[DEV_L1_TOTAL] = KNOWN;
	dev.holders_known = true;
	return snapshot_add_device(machine, &dev);
}

struct process *add_holder(int32_t pid, size_t device)
{
	struct process *process = snapshot_add_process(machine, pid);

	assert_non_null(process_use(process, device));
	return process;
}

int make_machine(void **state)
{
	(void)state;
	if (snapshot_new(&machine) < 0 || !add_device(0) || !add_device(1))
		return -1;
	add_holder(10, 0);
	add_holder(20, 0);
	add_holder(20, 1);
	return 0;
}

int free_machine(void **state)
{
	(void)state;
	machine = snapshot_free(machine);
	return 0;
}

struct memory_report report(int32_t pid, size_t device, enum tracking source, uint64_t dram)
{
	struct memory_report made = memory_report_make(pid, source);

	made.device = device;
	made.bytes[POOL_DRAM] = dram;
	return made;
}

struct usage *usage_of(int32_t pid, size_t device)
{
	return process_find_usage(snapshot_find_process(machine, pid), device);
}
