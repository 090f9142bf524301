/*
 * A hash table of entries of one size: open addressing with linear probing. A removal moves later
 * entries back, so there are no tombstones. Entries move when one is added or removed.
 *
 * The index of libttalloc (alloc/index.h) is another kind, since it must never move everything at
 * once: a program would notice.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What all tables of one kind have in common. */
struct hash_kind {
	size_t entry_size;
	size_t used_at; /* offset of a uint64_t that is 0 in empty entries only */
	uint64_t (*hash)(const void *entry); /* of its key; every bit of it must count */
	bool (*same_key)(const void *a, const void *b);
	void *(*alloc)(size_t bytes); /* zeroed; NULL: no memory */
	void (*release)(void *memory, size_t bytes);
};

/* All zero: empty. */
struct hash_table {
	void *entries;
	size_t room; /* a power of two, or 0 */
	size_t count;
};

/* The entry with the key of another, which needs no other members. NULL: there is none. */
void *hash_table_find(const struct hash_table *table, const struct hash_kind *kind,
		      const void *key);

/* Adds a copy of an entry whose key is not there yet. -ENOMEM. */
MUST_CHECK int hash_table_add(struct hash_table *table, const struct hash_kind *kind,
			      const void *entry);

/* Removes an entry of the table. Another may be at its place afterwards. */
void hash_table_remove(struct hash_table *table, const struct hash_kind *kind, void *entry);

/* The entry at a place below room. NULL: it is empty. */
void *hash_table_at(const struct hash_table *table, const struct hash_kind *kind, size_t place);

void hash_table_done(struct hash_table *table, const struct hash_kind *kind);

/* Spreads a number, such as an address, over all bits (splitmix64). */
static inline uint64_t hash_u64(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}
