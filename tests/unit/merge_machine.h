/* For tests of merge_memory(): a machine of two devices, and reports of its processes. */
#pragma once

#include "model/merge.h"
#include "unit.h"

#define MIB UINT64_C(1048576)

extern struct snapshot *machine;

/* Two devices; process 10 on the first, 20 on both. */
int make_machine(void **state);
int free_machine(void **state);
#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, make_machine, free_machine)

struct device *add_device(uint32_t index);
struct process *add_holder(int32_t pid, size_t device);
struct memory_report report(int32_t pid, size_t device, enum tracking source, uint64_t dram);
struct usage *usage_of(int32_t pid, size_t device);

#define MERGE(...)                                                       \
	do {                                                             \
		const struct memory_report reports_[] = { __VA_ARGS__ }; \
		merge_memory(machine, reports_, ARRAY_SIZE(reports_));   \
	} while (0)
