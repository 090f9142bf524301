#include "daemon/ledger.h"

#include <errno.h>
#include <string.h>

static uint64_t entry_hash(const void *key)
{
	const struct ledger_entry *entry = key;

	return hash_u64(entry->id + hash_u64((uint64_t)entry->device << 8 | entry->pool));
}

static bool entry_is_same(const void *a, const void *b)
{
	const struct ledger_entry *x = a, *y = b;

	return x->id == y->id && x->device == y->device && x->pool == y->pool;
}

static const struct hash_kind entry_kind = {
	.entry_size = sizeof(struct ledger_entry),
	.used_at = offsetof(struct ledger_entry, size),
	.hash = entry_hash,
	.same_key = entry_is_same,
	.alloc = hash_heap_alloc,
	.release = hash_heap_release,
};

void ledger_done(struct ledger *ledger)
{
	hash_table_done(&ledger->entries, &entry_kind);
	for (size_t i = 0; i < TABLE_DEVICES; i++)
		free(ledger->devices[i]);
	*ledger = (struct ledger){ 0 };
}

const struct ledger_entry *ledger_at(const struct ledger *ledger, size_t place)
{
	return hash_table_at(&ledger->entries, &entry_kind, place);
}

/* NULL if it is not held. */
static struct ledger_entry *entry_find(const struct ledger *ledger, uint32_t device, enum pool pool,
				       uint64_t id)
{
	const struct ledger_entry key = {
		.id = id,
		.device = (uint8_t)device,
		.pool = (uint8_t)pool,
	};

	return hash_table_find(&ledger->entries, &entry_kind, &key);
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

/* Already held: adds a reference and takes over the size of the latest report. */
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
	struct ledger_entry *held = entry_find(ledger, device, pool, id);
	const struct ledger_entry entry = {
		.id = id,
		.size = size,
		.time_ns = now_ns,
		.references = 1,
		.through = through,
		.device = (uint8_t)device,
		.pool = (uint8_t)pool,
	};

	if (!total)
		return count_misuse(ledger, TABLE_LOST, -ENOMEM);
	if (held)
		return entry_hold_again(ledger, held, total, size, now_ns);
	if (size > TABLE_BYTES_MAX - total->now_bytes)
		return count_misuse(ledger, TABLE_OVERFLOW, -EOVERFLOW);
	if (ledger_count(ledger) >= limit)
		return count_misuse(ledger, TABLE_LOST, -ENOSPC);
	if (hash_table_add(&ledger->entries, &entry_kind, &entry) < 0)
		return count_misuse(ledger, TABLE_LOST, -ENOMEM);
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
	hash_table_remove(&ledger->entries, &entry_kind, entry);
}

bool ledger_holds(const struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id)
{
	return entry_find(ledger, device, pool, id) != NULL;
}

int ledger_release(struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id,
		   uint64_t now_ns)
{
	struct ledger_entry *entry = entry_find(ledger, device, pool, id);

	if (!entry)
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
	/* The process uses the device, even if no other report says so. */
	if (device >= 0 && device < (int32_t)TABLE_DEVICES)
		total_get(ledger, (uint32_t)device, POOL_DRAM);
}

uint32_t ledger_forget(struct ledger *ledger, uint32_t through, uint64_t now_ns)
{
	uint32_t before = ledger_count(ledger);

	for (size_t i = 0; i < ledger->entries.room; i++) {
		struct ledger_entry *entry;

		/* Removing an entry may move another one to its index. */
		while ((entry = hash_table_at(&ledger->entries, &entry_kind, i)) &&
		       entry->through == through)
			entry_give_back(ledger, entry, now_ns);
	}
	return before - ledger_count(ledger);
}

int ledger_restore_entry(struct ledger *ledger, const struct ledger_entry *entry)
{
	int r;

	if (entry->device >= TABLE_DEVICES || entry->pool >= POOL_COUNT || !entry->size ||
	    !ledger->devices[entry->device])
		return -EBADMSG;
	r = hash_table_add(&ledger->entries, &entry_kind, entry);
	return r == -EEXIST ? -EBADMSG : r;
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
	for (size_t i = 0; i < ledger->entries.room; i++) {
		const struct ledger_entry *entry = ledger_at(ledger, i);
		struct image_allocation allocation;

		if (!entry)
			continue;
		allocation = (struct image_allocation){
			.id = entry->id,
			.size = entry->size,
			.time_ns = entry->time_ns,
			.device = entry->device,
			.pool = entry->pool,
		};
		if (image_add_allocation(writer, &allocation) < 0)
			return;
	}
}
