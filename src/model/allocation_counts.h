/*
 * How many allocations each device has seen, from the counts of its processes: those end with their
 * process, these go on. What a process does between the last sample and its end is not included.
 */
#pragma once

#include "basic/hash_table.h"
#include "basic/macros.h"
#include "model/process.h"

/* What is known of processes that were counted. All zero: none. */
struct allocation_counts {
	struct hash_table usages;
	uint64_t sample;
};

void allocation_counts_done(struct allocation_counts *counts);

/* Before the processes of a sample: forgets those that were not in the last samples. */
void allocation_counts_begin(struct allocation_counts *counts);

/*
 * Adds to *allocs and *failures what is new in this usage of a device, which `chip` identifies for
 * good. False: the process does not count. -ENOMEM.
 */
MUST_CHECK int allocation_counts_add(struct allocation_counts *counts,
				     const struct process *process, const struct usage *usage,
				     uint64_t chip, uint64_t *allocs, uint64_t *failures);
