#include "basic/hash_table.h"

#include <errno.h>
#include <string.h>

enum { ROOM_MIN = 64 };

static char *entry_at(const struct hash_table *table, const struct hash_kind *kind, size_t place)
{
	return (char *)table->entries + (place & (table->room - 1)) * kind->entry_size;
}

static bool is_used(const struct hash_kind *kind, const char *entry)
{
	uint64_t used;

	memcpy(&used, entry + kind->used_at, sizeof(used));
	return used != 0;
}

void *hash_table_at(const struct hash_table *table, const struct hash_kind *kind, size_t place)
{
	char *entry = entry_at(table, kind, place);

	return is_used(kind, entry) ? entry : NULL;
}

/* The entry with this key, or the empty one where it belongs. */
static char *find_place(const struct hash_table *table, const struct hash_kind *kind,
			const void *key)
{
	for (uint64_t place = kind->hash(key);; place++) {
		char *entry = entry_at(table, kind, place);

		if (!is_used(kind, entry) || kind->same_key(entry, key))
			return entry;
	}
}

void *hash_table_find(const struct hash_table *table, const struct hash_kind *kind, const void *key)
{
	char *entry = table->count ? find_place(table, kind, key) : NULL;

	return entry && is_used(kind, entry) ? entry : NULL;
}

/* Other threads may read the count without a lock, as an estimate. */
static void set_count(struct hash_table *table, size_t count)
{
	__atomic_store_n(&table->count, count, __ATOMIC_RELAXED);
}

static int grow(struct hash_table *table, const struct hash_kind *kind)
{
	struct hash_table grown = { .room = MAX(table->room * 2, ROOM_MIN), .count = table->count };

	if (grown.room > SIZE_MAX / kind->entry_size)
		return -ENOMEM;
	grown.entries = kind->alloc(grown.room * kind->entry_size);
	if (!grown.entries)
		return -ENOMEM;
	for (size_t i = 0; i < table->room; i++) {
		const char *entry = hash_table_at(table, kind, i);

		if (entry)
			memcpy(find_place(&grown, kind, entry), entry, kind->entry_size);
	}
	hash_table_done(table, kind);
	*table = grown;
	return 0;
}

int hash_table_add(struct hash_table *table, const struct hash_kind *kind, const void *entry)
{
	if (table->count >= table->room / 4 * 3 && grow(table, kind) < 0)
		return -ENOMEM;
	memcpy(find_place(table, kind, entry), entry, kind->entry_size);
	set_count(table, table->count + 1);
	return 0;
}

void hash_table_remove(struct hash_table *table, const struct hash_kind *kind, void *entry)
{
	size_t mask = table->room - 1;
	size_t gap = (size_t)((char *)entry - (char *)table->entries) / kind->entry_size;

	for (size_t place = gap + 1;; place++) {
		const char *next = entry_at(table, kind, place);

		if (!is_used(kind, next))
			break;
		/* An entry behind the gap moves into it, unless it belongs behind the gap. */
		if (((place - kind->hash(next)) & mask) >= ((place - gap) & mask)) {
			memcpy(entry_at(table, kind, gap), next, kind->entry_size);
			gap = place;
		}
	}
	memset(entry_at(table, kind, gap), 0, kind->entry_size);
	set_count(table, table->count - 1);
}

void hash_table_done(struct hash_table *table, const struct hash_kind *kind)
{
	if (table->entries)
		kind->release(table->entries, table->room * kind->entry_size);
	*table = (struct hash_table){ 0 };
}
