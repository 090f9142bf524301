/*
 * Names of operations, by the number of the program, and which of them takes most time. Zeroed
 * memory is an empty table.
 *
 * It has a hash table of its own, unlike basic/hash_table.h, since every launch looks up a name in
 * the threads of the host program: readers take no lock, slots are never moved or freed, and so
 * `of_id` can refer to them by index. Only adding a new name takes the lock.
 */
#pragma once

#include "alloc/lock.h"
#include "metal/program_table.h"

enum { OPERATION_IDS = 65536, OPERATION_SLOTS = 512 };

struct operation {
	uint64_t key;			    /* hash of the name; 0: free; set after the name */
	char name[PROGRAM_TABLE_OPERATION]; /* padded with NULs */
	uint64_t ticks;			    /* protected by the lock of the records */
};

struct operations {
	uint16_t of_id[OPERATION_IDS];		 /* slot + 1; 0: none */
	struct operation slots[OPERATION_SLOTS]; /* linear probing */
	uint32_t used;
	struct lock lock; /* held while a name is added */
};

void operations_set(struct operations *operations, uint16_t id, const char *text, size_t length);

/* Adds the time that a program with this number took. */
static inline void operations_count(struct operations *operations, uint16_t id, uint64_t ticks)
{
	uint16_t slot = __atomic_load_n(&operations->of_id[id], __ATOMIC_ACQUIRE);

	if (slot)
		operations->slots[slot - 1].ticks += ticks;
}

/* The name that took most time since the last call, "": none. */
const char *operations_take(struct operations *operations);
