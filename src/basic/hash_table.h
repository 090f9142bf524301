/*
 * A hash table of entries of one size: open addressing with linear probing. A removal moves later
 * entries back, so there are no tombstones. Entries move when one is added or removed.
 *
 * The index of libttalloc (alloc/index.h) is a different one, since it must never rehash everything
 * at once, which would delay the program.
 */
#pragma once

#include "basic/macros.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Properties that all tables of one kind share. */
struct hash_kind {
	size_t entry_size;
	size_t used_at; /* offset of a uint64_t that is 0 only in empty entries */
	/* of its key; all bits must be well distributed */
	uint64_t (*hash)(const void *entry);
	bool (*same_key)(const void *a, const void *b);
	void *(*alloc)(size_t bytes); /* zeroed; NULL: out of memory */
	void (*release)(void *memory, size_t bytes);
};

/* For tables in the memory of malloc(). */
void *hash_heap_alloc(size_t bytes);
void hash_heap_release(void *memory, size_t bytes);

/* All zero: empty. */
struct hash_table {
	void *entries;
	size_t room; /* a power of two, or 0 */
	size_t count;
};

/* Doubles the capacity. -ENOMEM. */
MUST_CHECK int hash_table_grow(struct hash_table *table, const struct hash_kind *kind);

void hash_table_done(struct hash_table *table, const struct hash_kind *kind);

/*
 * The rest is inline: if kind is a constant, the compiler uses direct calls and copies of a fixed
 * size, which is three times as fast.
 */

static inline char *hash_table_place(const struct hash_table *table, const struct hash_kind *kind,
				     size_t place)
{
	return (char *)table->entries + (place & (table->room - 1)) * kind->entry_size;
}

static inline bool hash_entry_is_used(const struct hash_kind *kind, const char *entry)
{
	uint64_t used;

	memcpy(&used, entry + kind->used_at, sizeof(used));
	return used != 0;
}

/* The entry at an index below room; NULL if it is empty. */
static inline void *hash_table_at(const struct hash_table *table, const struct hash_kind *kind,
				  size_t place)
{
	char *entry = hash_table_place(table, kind, place);

	return hash_entry_is_used(kind, entry) ? entry : NULL;
}

/* The entry with this key, or the empty one where it would be inserted. There must be room. */
static inline char *hash_table_probe(const struct hash_table *table, const struct hash_kind *kind,
				     const void *key)
{
	for (uint64_t place = kind->hash(key);; place++) {
		char *entry = hash_table_place(table, kind, place);

		if (!hash_entry_is_used(kind, entry) || kind->same_key(entry, key))
			return entry;
	}
}

/* The entry with the same key; other members of key are not used. NULL: there is none. */
static inline void *hash_table_find(const struct hash_table *table, const struct hash_kind *kind,
				    const void *key)
{
	char *entry = table->count ? hash_table_probe(table, kind, key) : NULL;

	return entry && hash_entry_is_used(kind, entry) ? entry : NULL;
}

/* Other threads may read the count without a lock, as an estimate. */
static inline void hash_table_set_count(struct hash_table *table, size_t count)
{
	__atomic_store_n(&table->count, count, __ATOMIC_RELAXED);
}

/* Adds a copy of an entry. -EEXIST: the key exists. -ENOMEM. */
MUST_CHECK static inline int hash_table_add(struct hash_table *table, const struct hash_kind *kind,
					    const void *entry)
{
	char *to;

	if (table->count >= table->room / 4 * 3 && hash_table_grow(table, kind) < 0)
		return -ENOMEM;
	to = hash_table_probe(table, kind, entry);
	if (hash_entry_is_used(kind, to))
		return -EEXIST;
	memcpy(to, entry, kind->entry_size);
	hash_table_set_count(table, table->count + 1);
	return 0;
}

/* Removes an entry. Another one may be at its index afterwards. */
static inline void hash_table_remove(struct hash_table *table, const struct hash_kind *kind,
				     void *entry)
{
	size_t mask = table->room - 1;
	size_t gap = (size_t)((char *)entry - (char *)table->entries) / kind->entry_size;

	for (size_t place = gap + 1;; place++) {
		const char *next = hash_table_place(table, kind, place);

		if (!hash_entry_is_used(kind, next))
			break;
		/*
		 * Move an entry after the gap into it, unless its probe sequence starts after the
		 * gap.
		 */
		if (((place - kind->hash(next)) & mask) >= ((place - gap) & mask)) {
			memcpy(hash_table_place(table, kind, gap), next, kind->entry_size);
			gap = place;
		}
	}
	memset(hash_table_place(table, kind, gap), 0, kind->entry_size);
	hash_table_set_count(table, table->count - 1);
}

/* Distributes a number, such as an address, over all bits (splitmix64). */
static inline uint64_t hash_u64(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Distributes a text. A multiplication per word is enough until the end: a command line is long. */
static inline uint64_t hash_text(const char *text)
{
	size_t length = strlen(text);
	uint64_t hash = length, word = 0;

	for (; length >= sizeof(word); text += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, text, length);
	return hash_u64(hash ^ word);
}
