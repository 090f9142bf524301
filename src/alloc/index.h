/*
 * A hash table per device: finds the slot of an allocation by pool and id.
 *
 * Linear hashing with buckets of one cache line. A line has the slot numbers of seven allocations,
 * each with half of its hash, so that a slot with another key is rarely read. After every third
 * insertion one bucket is split in two: the table grows to millions of entries without a complete
 * rehash, so no single report is slow. A full bucket continues in an overflow line.
 *
 * The memory is reserved address space, and becomes resident as it is used: about 21 bytes per
 * allocation. Beyond the first 2 MiB it consists of huge pages, where the system permits it.
 */
#pragma once

#include "basic/macros.h"
#include "proto/table.h"

#include <stdint.h>

#define INDEX_NONE UINT32_MAX
#define INDEX_LINE 7u /* entries of a line */

struct index_line {
	uint64_t entry[INDEX_LINE]; /* lower half of the hash << 32 | slot number */
	uint32_t count;
	uint32_t next; /* number + 1 of an overflow line, 0 for none; only a full line has one */
};

struct index {
	const struct table_slot *slots;
	struct index_line *lines;    /* one per bucket, then those that may become buckets */
	struct index_line *overflow; /* lines that continue full buckets */
	uint32_t room;		     /* slots that it can hold */
	uint32_t base;		     /* buckets at the start of this round of splits: 2^n */
	uint32_t buckets;
	uint32_t count;
	uint32_t overflow_used; /* overflow lines from here on were never used */
	uint32_t overflow_free; /* number + 1 of the first free one, linked by `next` */
};

/*
 * Makes an index for up to `room` slots, or for fewer if there is not enough address space.
 * -ENOMEM. A forked child does not inherit the memory; it makes an index of its own.
 */
MUST_CHECK int index_init(struct index *index, const struct table_slot *slots, uint32_t room);
void index_done(struct index *index);

/* The bits of a slot's meta word that are part of the key. */
static inline uint64_t slot_where(uint32_t device, enum pool pool)
{
	return (uint64_t)device << 32 | (uint64_t)pool << 48;
}

#define SLOT_WHERE UINT64_C(0x00ffffff00000000)

/* Ids are mostly addresses, multiples of 32 or more, so all bits must affect the low ones. */
static inline uint64_t index_hash(uint64_t where, uint64_t id)
{
	uint64_t h = (id ^ where) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

/* The slot with this key, whose index_hash() is passed too; INDEX_NONE: not found. */
uint32_t index_find(const struct index *index, uint64_t hash, uint64_t where, uint64_t id);

/* Adds a slot. Its key must not be in the index yet; the slot may be filled later. -ENOMEM */
MUST_CHECK int index_insert(struct index *index, uint64_t hash, uint32_t slot);

/* Like index_find(), and removes the slot from the index. */
uint32_t index_take(struct index *index, uint64_t hash, uint64_t where, uint64_t id);
