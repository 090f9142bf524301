#include "daemon/ledger.h"

#include <errno.h>
#include <string.h>

void ledger_done(struct ledger *ledger)
{
	free(ledger->entries);
	for (size_t i = 0; i < TABLE_DEVICES; i++)
		free(ledger->devices[i]);
	*ledger = (struct ledger){ 0 };
}

/* Addresses are multiples of large powers of two: all bits must count (splitmix64). */
static uint64_t key_hash(uint32_t device, enum pool pool, uint64_t id)
{
	uint64_t x = id + (((uint64_t)device << 8 | pool) + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static size_t entry_home(const struct ledger *ledger, const struct ledger_entry *entry)
{
	return key_hash(entry->device, (enum pool)entry->pool, entry->id) & (ledger->room - 1);
}

/* The entry of a key, or the empty place where it would be; NULL if there is no room at all. */
static struct ledger_entry *entry_find(const struct ledger *ledger, uint32_t device, enum pool pool,
				       uint64_t id)
{
	size_t at;

	if (!ledger->room)
		return NULL;
	for (at = key_hash(device, pool, id);; at++) {
		struct ledger_entry *entry = &ledger->entries[at & (ledger->room - 1)];

		if (!entry->size ||
		    (entry->id == id && entry->device == device && entry->pool == pool))
			return entry;
	}
}

static int ledger_grow(struct ledger *ledger)
{
	struct ledger old = *ledger;

	if (ledger->count < ledger->room / 4 * 3)
		return 0;
	ledger->room = MAX(old.room * 2, 64);
	ledger->entries = calloc(ledger->room, sizeof(*ledger->entries));
	if (!ledger->entries) {
		*ledger = old;
		return -ENOMEM;
	}
	for (size_t i = 0; i < old.room; i++) {
		struct ledger_entry *entry = &old.entries[i];

		if (entry->size)
			*entry_find(ledger, entry->device, (enum pool)entry->pool, entry->id) =
				*entry;
	}
	free(old.entries);
	return 0;
}

/* Empties a place and moves those behind it that would no longer be found. */
static void entry_remove(struct ledger *ledger, struct ledger_entry *entry)
{
	size_t mask = ledger->room - 1;
	size_t hole = (size_t)(entry - ledger->entries), at = hole;

	ledger->count--;
	for (;;) {
		size_t home;

		ledger->entries[hole].size = 0;
		do {
			at = (at + 1) & mask;
			if (!ledger->entries[at].size)
				return;
			home = entry_home(ledger, &ledger->entries[at]);
		} while (((at - home) & mask) < ((at - hole) & mask));
		ledger->entries[hole] = ledger->entries[at];
		hole = at;
	}
}

static struct table_pool_total *total_get(struct ledger *ledger, uint32_t device, enum pool pool)
{
	if (!ledger->devices[device])
		ledger->devices[device] = calloc(1, sizeof(struct ledger_device));
	return ledger->devices[device] ? &ledger->devices[device]->pool[pool] : NULL;
}

static void total_raise(struct table_pool_total *total, uint64_t bytes, uint64_t now_ns)
{
	total->now_bytes += bytes;
	total->peak_bytes = MAX(total->peak_bytes, total->now_bytes);
	total->changed_ns = now_ns;
}

static int count_misuse(struct ledger *ledger, enum table_misuse kind, int error)
{
	ledger->misuse[kind]++;
	return error;
}

/* Held already: one more reference, and the size is what was said last. */
static int entry_hold_again(struct ledger *ledger, struct ledger_entry *entry,
			    struct table_pool_total *total, uint64_t size, uint64_t now_ns)
{
	uint64_t others = total->now_bytes - entry->size;

	if (size > TABLE_BYTES_MAX - others)
		return count_misuse(ledger, TABLE_OVERFLOW, -EOVERFLOW);
	if (entry->references < UINT32_MAX)
		entry->references++;
	total->now_bytes = others;
	total_raise(total, size, now_ns);
	entry->size = size;
	return 0;
}

int ledger_hold(struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id, uint64_t size,
		uint64_t now_ns, uint32_t through, uint32_t limit)
{
	struct table_pool_total *total = total_get(ledger, device, pool);
	struct ledger_entry *entry;

	if (!total || ledger_grow(ledger) < 0)
		return count_misuse(ledger, TABLE_LOST, -ENOMEM);
	entry = entry_find(ledger, device, pool, id);
	if (entry->size)
		return entry_hold_again(ledger, entry, total, size, now_ns);
	if (size > TABLE_BYTES_MAX - total->now_bytes)
		return count_misuse(ledger, TABLE_OVERFLOW, -EOVERFLOW);
	if (ledger->count >= limit)
		return count_misuse(ledger, TABLE_LOST, -ENOSPC);
	*entry = (struct ledger_entry){
		.id = id,
		.size = size,
		.time_ns = now_ns,
		.references = 1,
		.through = through,
		.device = (uint8_t)device,
		.pool = (uint8_t)pool,
	};
	ledger->count++;
	total->allocs++;
	total_raise(total, size, now_ns);
	return 1;
}

static void entry_give_back(struct ledger *ledger, struct ledger_entry *entry, uint64_t now_ns)
{
	struct table_pool_total *total = &ledger->devices[entry->device]->pool[entry->pool];

	total->now_bytes -= entry->size;
	total->frees++;
	total->changed_ns = now_ns;
	entry_remove(ledger, entry);
}

bool ledger_holds(const struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id)
{
	const struct ledger_entry *entry = entry_find(ledger, device, pool, id);

	return entry && entry->size;
}

int ledger_release(struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id,
		   uint64_t now_ns)
{
	struct ledger_entry *entry = entry_find(ledger, device, pool, id);

	if (!entry || !entry->size)
		return count_misuse(ledger, TABLE_UNKNOWN_FREE, -ENOENT);
	if (--entry->references > 0)
		return 0;
	entry_give_back(ledger, entry, now_ns);
	return 1;
}

void ledger_ignore(struct ledger *ledger)
{
	ledger->ignored++;
}

void ledger_ignore_held(struct ledger *ledger, int32_t device)
{
	ledger_ignore(ledger);
	count_misuse(ledger, TABLE_LOST, 0);
	/* It uses the device, even if no other report says so. */
	if (device >= 0 && device < (int32_t)TABLE_DEVICES)
		total_get(ledger, (uint32_t)device, POOL_DRAM);
}

uint32_t ledger_forget(struct ledger *ledger, uint32_t through, uint64_t now_ns)
{
	uint32_t before = ledger->count;

	/* A removal moves a later entry into the place: look at it again. */
	for (size_t i = 0; i < ledger->room; i++) {
		while (ledger->entries[i].size && ledger->entries[i].through == through)
			entry_give_back(ledger, &ledger->entries[i], now_ns);
	}
	return before - ledger->count;
}

int ledger_put_back(struct ledger *ledger, const struct ledger_entry *entry)
{
	if (entry->device >= TABLE_DEVICES || entry->pool >= POOL_COUNT || !entry->size ||
	    !ledger->devices[entry->device])
		return -EBADMSG;
	if (ledger_grow(ledger) < 0)
		return -ENOMEM;
	*entry_find(ledger, entry->device, (enum pool)entry->pool, entry->id) = *entry;
	ledger->count++;
	return 0;
}

uint32_t ledger_count_usages(const struct ledger *ledger)
{
	uint32_t count = 0;

	for (size_t i = 0; i < TABLE_DEVICES; i++)
		count += ledger->devices[i] ? POOL_COUNT : 0;
	return count;
}

void ledger_list(const struct ledger *ledger, struct image_writer *writer)
{
	for (size_t i = 0; i < ledger->room; i++) {
		const struct ledger_entry *entry = &ledger->entries[i];
		struct image_allocation allocation = {
			.id = entry->id,
			.size = entry->size,
			.time_ns = entry->time_ns,
			.device = entry->device,
			.pool = entry->pool,
		};

		if (entry->size && image_add_allocation(writer, &allocation) < 0)
			return;
	}
}
