/*
 * Finds the slot of an allocation by device, pool and id.
 *
 * Linear hashing with chains of slot numbers: each insertion beyond one per bucket splits a
 * single bucket in two. The index grows from nothing to millions without ever moving everything
 * at once, so no report pays for the growth. The memory is reserved address space, and becomes
 * resident as it is used: twelve bytes per allocation. Keys stay in the slots, but half of the
 * hash is kept here, so that a slot of another key is rarely read.
 *
 * The owner uses the chain links of slots that are not in the index for lists of its own.
 */
#pragma once

#include "basic/macros.h"
#include "proto/table.h"

#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index_node {
	uint32_t next; /* slot number + 1, 0 for none */
	uint32_t hash;
};

struct index {
	const struct table_slot *slots;
	uint32_t *heads;	  /* per bucket: slot number + 1, 0 for none */
	struct index_node *nodes; /* per slot */
	uint32_t room;		  /* slots */
	uint32_t base;		  /* buckets at the start of this round of splits: a power of two */
	uint32_t buckets;
	uint32_t count;
};

/* -ENOMEM. A forked child does not inherit the memory: it makes an index of its own. */
MUST_CHECK int index_init(struct index *index, const struct table_slot *slots, uint32_t room);
void index_done(struct index *index);

/* The bits of a slot's meta word that are part of the key. */
static inline uint64_t slot_where(uint32_t device, enum pool pool)
{
	return (uint64_t)device << 32 | (uint64_t)pool << 48;
}

#define SLOT_WHERE UINT64_C(0x00ffffff00000000)

uint64_t index_hash(uint64_t where, uint64_t id);

/* The slot with this key, or INDEX_NONE. The hash is index_hash() of it. */
uint32_t index_find(const struct index *index, uint64_t hash, uint64_t where, uint64_t id);

/* The slot must be filled, and no other may have its key. */
void index_insert(struct index *index, uint64_t hash, uint32_t slot);

/* The slot must be in the index. */
void index_remove(struct index *index, uint64_t hash, uint32_t slot);
