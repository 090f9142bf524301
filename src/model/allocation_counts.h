/*
 * Counters of allocations per device, from the counts of its processes. A process's count ends with
 * it; the counter of the device keeps it. What a process does after its last sample is missing.
 */
#pragma once

#include "basic/hash_table.h"
#include "basic/macros.h"
#include "model/process.h"

/* The processes that were counted so far. All zero: none. */
struct allocation_counts {
	struct hash_table usages;
	uint64_t sample;
};

void allocation_counts_done(struct allocation_counts *counts);

/* Before the processes of a sample: forgets those that were not in the last samples. */
void allocation_counts_begin(struct allocation_counts *counts);

/*
 * Adds what is new in this usage of a device, which `chip` identifies for good. False: the process
 * does not count. -ENOMEM.
 */
MUST_CHECK int allocation_counts_add(struct allocation_counts *counts,
				     const struct process *process, const struct usage *usage,
				     uint64_t chip, struct allocation_count sums[POOL_SPLITS]);
