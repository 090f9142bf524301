#include "basic/hash_table.h"

#include <stdlib.h>

enum { ROOM_MIN = 64 };

void *hash_heap_alloc(size_t bytes)
{
	return calloc(1, bytes);
}

void hash_heap_release(void *memory, size_t bytes)
{
	(void)bytes;
	free(memory);
}

int hash_table_grow(struct hash_table *table, const struct hash_kind *kind)
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
			memcpy(hash_table_probe(&grown, kind, entry), entry, kind->entry_size);
	}
	hash_table_done(table, kind);
	*table = grown;
	return 0;
}

void hash_table_done(struct hash_table *table, const struct hash_kind *kind)
{
	if (table->entries)
		kind->release(table->entries, table->room * kind->entry_size);
	*table = (struct hash_table){ 0 };
}
