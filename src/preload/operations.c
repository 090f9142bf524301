#include "preload/operations.h"

#include <string.h>

/* Maximum number of names: in a fuller table, probing becomes slow. */
#define USED_MAX (OPERATION_SLOTS * 3 / 4)

struct operation_name {
	char text[PROGRAM_TABLE_OPERATION];
};

static struct operation_name name_of(const char *text, size_t length)
{
	struct operation_name name = { 0 };

	memcpy(name.text, text, MIN(length, sizeof(name.text) - 1));
	return name;
}

/* Never 0, which marks a free slot. */
static uint64_t hash_of(const struct operation_name *name)
{
	uint64_t words[sizeof(*name) / sizeof(uint64_t)], hash = 0;

	memcpy(words, name, sizeof(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash | 1;
}

/* The slot of a name, or the free slot where it would be added. Needs no lock. */
static uint32_t find(struct operations *operations, const struct operation_name *name, uint64_t key)
{
	uint32_t at = (uint32_t)(key >> 32) % OPERATION_SLOTS;

	for (;;) {
		const struct operation *slot = &operations->slots[at];
		uint64_t there = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);

		if (there == 0 || (there == key && memcmp(slot->name, name, sizeof(*name)) == 0))
			return at;
		at = (at + 1) % OPERATION_SLOTS;
	}
}

/* False: the table is full. */
static bool add(struct operations *operations, const struct operation_name *name, uint64_t key,
		uint32_t *ret)
{
	uint32_t at;
	bool fits;

	lock_take(&operations->lock);
	at = find(operations, name, key);
	fits = operations->slots[at].key || operations->used < USED_MAX;
	if (fits && !operations->slots[at].key) {
		memcpy(operations->slots[at].name, name, sizeof(*name));
		operations->used++;
		__atomic_store_n(&operations->slots[at].key, key, __ATOMIC_RELEASE);
	}
	lock_release(&operations->lock);
	*ret = at;
	return fits;
}

void operations_set(struct operations *operations, uint16_t id, const char *text, size_t length)
{
	struct operation_name name = name_of(text, length);
	uint64_t key = hash_of(&name);
	uint32_t at = find(operations, &name, key);
	uint16_t slot = 0;

	if (__atomic_load_n(&operations->slots[at].key, __ATOMIC_ACQUIRE) ||
	    add(operations, &name, key, &at))
		slot = (uint16_t)(at + 1);
	__atomic_store_n(&operations->of_id[id], slot, __ATOMIC_RELEASE);
}

const char *operations_take(struct operations *operations)
{
	const char *name = "";
	uint64_t most = 0;

	for (size_t i = 0; i < OPERATION_SLOTS; i++) {
		struct operation *slot = &operations->slots[i];

		if (slot->ticks > most) {
			most = slot->ticks;
			name = slot->name;
		}
		slot->ticks = 0;
	}
	return name;
}
