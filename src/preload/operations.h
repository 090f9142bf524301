/*
 * Names of operations, by the number of the program, and which of them takes most time. Zeroed
 * memory is empty.
 */
#pragma once

#include "alloc/lock.h"
#include "metal/program_table.h"

enum { OPERATION_IDS = 65536, OPERATION_SLOTS = 512 };

struct operation {
	uint64_t key;			    /* hash of the name; 0: the slot is free; set last */
	char name[PROGRAM_TABLE_OPERATION]; /* padded with NULs */
	uint64_t ticks;			    /* changed by the thread that takes the records */
};

struct operations {
	uint16_t of_id[OPERATION_IDS];		 /* slot + 1; 0: none */
	struct operation slots[OPERATION_SLOTS]; /* linear probing */
	uint32_t used;
	struct lock lock; /* around the addition of a name */
};

void operations_set(struct operations *operations, uint16_t id, const char *text, size_t length);

/* A program with this number took so long. */
static inline void operations_count(struct operations *operations, uint16_t id, uint64_t ticks)
{
	uint16_t slot = __atomic_load_n(&operations->of_id[id], __ATOMIC_ACQUIRE);

	if (slot)
		operations->slots[slot - 1].ticks += ticks;
}

/* The name that took most time since the last call, "": none. */
const char *operations_take(struct operations *operations);
