#include "alloc/tracker.h"

#include "alloc/memory.h"
#include "basic/seqlock.h"

#include <errno.h>
#include <string.h>

/* Counts an invalid report, in one counter for all devices. */
static int misuse(struct tracker *tracker, enum table_misuse kind, int error)
{
	__atomic_fetch_add(&tracker->header->misuse[kind], 1, __ATOMIC_RELEASE);
	return error;
}

static int where_check(struct tracker *tracker, uint32_t device, uint32_t pool)
{
	if (device >= TABLE_DEVICES)
		return misuse(tracker, TABLE_UNKNOWN_DEVICE, -ENODEV);
	if (pool >= POOL_COUNT)
		return misuse(tracker, TABLE_UNKNOWN_POOL, -EINVAL);
	return 0;
}

static struct slot_stock *stock_of(struct tracker_device *device, bool listed)
{
	return listed ? &device->listed : &device->unlisted;
}

/* Takes a free slot of another device, of one that no thread has locked. */
static uint32_t slot_steal(struct tracker *tracker, bool listed)
{
	uint64_t devices = word_load(&tracker->header->devices);

	for (; devices; devices &= devices - 1) {
		struct tracker_device *other = &tracker->devices[__builtin_ctzll(devices)];
		uint32_t slot;

		if (stock_is_empty(stock_of(other, listed)) || !lock_try(&other->lock))
			continue;
		slot = stock_take(stock_of(other, listed), tracker->slots);
		lock_release(&other->lock);
		if (slot != SLOT_NONE)
			return slot;
	}
	return SLOT_NONE;
}

/* For an empty stock. */
static uint32_t slot_find(struct tracker *tracker, struct tracker_device *device, bool listed)
{
	struct slot_range *range = listed ? &tracker->listed : &tracker->unlisted;
	struct slot_stock *stock = stock_of(device, listed);

	if (stock_refill(stock, range, tracker->slots))
		return stock_take(stock, tracker->slots);
	return slot_steal(tracker, listed);
}

/* The stock of listed slots is empty. */
static uint32_t slot_take_new(struct tracker *tracker, struct tracker_device *device)
{
	uint32_t slot = slot_find(tracker, device, true);

	if (slot != SLOT_NONE)
		return slot;
	slot = stock_take(&device->unlisted, tracker->slots);
	if (slot == SLOT_NONE)
		slot = slot_find(tracker, device, false);
	if (slot != SLOT_NONE) {
		misuse(tracker, TABLE_UNLISTED, 0);
		__atomic_fetch_add(&tracker->header->unlisted, 1, __ATOMIC_RELEASE);
	}
	return slot;
}

static inline uint32_t slot_take(struct tracker *tracker, struct tracker_device *device)
{
	uint32_t slot = stock_take(&device->listed, tracker->slots);

	return slot == SLOT_NONE ? slot_take_new(tracker, device) : slot;
}

static void slot_give_back(struct tracker *tracker, struct tracker_device *device, uint32_t slot)
{
	bool listed = slot < tracker->listed.end;

	stock_give_back(stock_of(device, listed), tracker->slots, slot);
	if (!listed)
		__atomic_fetch_sub(&tracker->header->unlisted, 1, __ATOMIC_RELEASE);
}

/* The meta word after another change. Its lowest bit is set while the slot is in use. */
static uint64_t meta_next(uint64_t meta, uint64_t where)
{
	return where | (uint32_t)(meta + 1);
}

static void slot_fill(struct table_slot *slot, uint64_t where, uint64_t id, uint64_t size,
		      uint64_t now)
{
	word_store(&slot->id, id);
	word_store(&slot->size, size);
	word_store(&slot->time, now);
	word_store(&slot->meta, meta_next(slot->meta, where));
}

static void slot_empty(struct table_slot *slot)
{
	word_store(&slot->meta, meta_next(slot->meta, 0));
}

/*
 * Subtracts `less` and adds `more` bytes to a pool, and updates the counters. Inline, like taking a
 * slot: an allocation on a mesh does both once per device.
 */
static inline void pool_change(struct tracker *tracker, uint32_t device, uint32_t pool,
			       uint64_t less, uint64_t more, uint64_t now)
{
	struct table_pool_cell *cell = &tracker->cells[device].pool[pool];
	uint64_t *word = tracker->devices[device].pool[pool];

	word[TABLE_NOW] = word[TABLE_NOW] - less + more;
	word[TABLE_PEAK] = MAX(word[TABLE_PEAK], word[TABLE_NOW]);
	word[TABLE_ALLOCS] += more > 0;
	word[TABLE_FREES] += less > 0;
	word[TABLE_CHANGED] = now;
	seqlock_write(&cell->seq, cell->copy[0], TABLE_POOL_WORDS, word);
}

static bool pool_has_room(const struct tracker_device *device, uint32_t pool, uint64_t less,
			  uint64_t more)
{
	uint64_t now = device->pool[pool][TABLE_NOW] - less;

	return more <= TABLE_BYTES_MAX && now + more <= TABLE_BYTES_MAX;
}

/* The id is in use: a free was not reported, so this counts as a free and a new allocation. */
static int alloc_replace(struct tracker *tracker, uint32_t at, uint32_t device, uint32_t pool,
			 uint64_t size, uint64_t now)
{
	struct table_slot *slot = &tracker->slots[at];
	uint64_t old = slot->size;

	if (!pool_has_room(&tracker->devices[device], pool, old, size))
		return misuse(tracker, TABLE_OVERFLOW, -EOVERFLOW);
	slot_empty(slot);
	slot_fill(slot, slot_where(device, pool), slot->id, size, now);
	pool_change(tracker, device, pool, old, size, now);
	return misuse(tracker, TABLE_DUPLICATE, -EEXIST);
}

/* Adds a slot to the index, for the caller to fill; SLOT_NONE: out of memory. */
static uint32_t slot_add(struct tracker *tracker, struct tracker_device *device, uint64_t hash)
{
	uint32_t slot = slot_take(tracker, device);

	if (slot != SLOT_NONE && index_insert(&device->index, hash, slot) < 0) {
		slot_give_back(tracker, device, slot);
		return SLOT_NONE;
	}
	return slot;
}

int tracker_alloc(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t id,
		  uint64_t size, uint64_t now)
{
	struct tracker_device *own = &tracker->devices[device % TABLE_DEVICES];
	uint64_t where, hash;
	uint32_t slot;
	int r;

	r = where_check(tracker, device, pool);
	if (r < 0)
		return r;
	if (size == 0)
		return misuse(tracker, TABLE_ZERO_SIZE, -EINVAL);
	where = slot_where(device, pool);
	hash = index_hash(where, id);
	slot = index_find(&own->index, hash, where, id);
	if (slot != INDEX_NONE)
		return alloc_replace(tracker, slot, device, pool, size, now);
	if (!pool_has_room(own, pool, 0, size))
		return misuse(tracker, TABLE_OVERFLOW, -EOVERFLOW);
	slot = slot_add(tracker, own, hash);
	if (slot == SLOT_NONE)
		return misuse(tracker, TABLE_LOST, -ENOSPC);

	slot_fill(&tracker->slots[slot], where, id, size, now);
	pool_change(tracker, device, pool, 0, size, now);
	return 0;
}

static int free_unknown(struct tracker *tracker, const struct tracker_device *device, uint64_t hash)
{
	if (device->freed && device->freed[hash % TRACKER_FREED] == hash)
		return misuse(tracker, TABLE_DOUBLE_FREE, -ENOENT);
	return misuse(tracker, TABLE_UNKNOWN_FREE, -ENOENT);
}

int tracker_free(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t id, uint64_t now)
{
	struct tracker_device *own = &tracker->devices[device % TABLE_DEVICES];
	uint64_t where, hash, size;
	uint32_t slot;
	int r;

	r = where_check(tracker, device, pool);
	if (r < 0)
		return r;
	where = slot_where(device, pool);
	hash = index_hash(where, id);
	slot = own->freed ? index_take(&own->index, hash, where, id) : INDEX_NONE;
	if (slot == INDEX_NONE)
		return free_unknown(tracker, own, hash);

	size = tracker->slots[slot].size;
	slot_empty(&tracker->slots[slot]);
	slot_give_back(tracker, own, slot);
	pool_change(tracker, device, pool, size, 0, now);
	own->freed[hash % TRACKER_FREED] = hash;
	return 0;
}

/* The slots of one allocation are a linked list, whose first element is the handle. */
uint32_t tracker_hold(struct tracker *tracker, uint64_t devices, uint32_t pool, uint64_t id,
		      uint64_t size, uint64_t now)
{
	uint32_t held = 0;

	for (; devices; devices &= devices - 1) {
		uint32_t device = (uint32_t)__builtin_ctzll(devices), slot;
		struct tracker_device *own = &tracker->devices[device];

		if (!pool_has_room(own, pool, 0, size)) {
			misuse(tracker, TABLE_OVERFLOW, 0);
			continue;
		}
		slot = slot_take(tracker, own);
		if (slot == SLOT_NONE) {
			misuse(tracker, TABLE_LOST, 0);
			continue;
		}
		slot_fill(&tracker->slots[slot], slot_where(device, pool), id, size, now);
		pool_change(tracker, device, pool, 0, size, now);
		tracker->links[slot] = held;
		held = slot + 1;
	}
	return held;
}

void tracker_drop(struct tracker *tracker, uint32_t held, uint64_t now)
{
	while (held) {
		uint32_t at = held - 1;
		struct table_slot *slot = &tracker->slots[at];
		uint32_t device = slot_device(slot->meta), pool = slot_pool(slot->meta);

		held = tracker->links[at];
		slot_empty(slot);
		pool_change(tracker, device, pool, slot->size, 0, now);
		slot_give_back(tracker, &tracker->devices[device], at);
	}
}

int tracker_failure(struct tracker *tracker, uint32_t device, uint32_t pool)
{
	struct table_pool_cell *cell;
	uint64_t *word;
	int r;

	r = where_check(tracker, device, pool);
	if (r < 0)
		return r;
	cell = &tracker->cells[device].pool[pool];
	word = tracker->devices[device].pool[pool];
	word[TABLE_FAILURES]++;
	seqlock_write(&cell->seq, cell->copy[0], TABLE_POOL_WORDS, word);
	return 0;
}

void tracker_set_program(struct tracker *tracker, const char *name)
{
	uint64_t word[TABLE_PROGRAM_WORDS] = { 0 };

	memcpy(word, name, strnlen(name, TABLE_PROGRAM_MAX - 1));
	seqlock_write(&tracker->header->program_seq, tracker->header->program[0],
		      TABLE_PROGRAM_WORDS, word);
}

/* Allocates what a device needs before its first allocation. */
static int device_prepare(struct tracker *tracker, uint32_t device)
{
	struct tracker_device *own = &tracker->devices[device];
	uint64_t *freed;
	int r;

	if (own->freed)
		return 0;
	if (!memory_prepare(&tracker->cells[device], sizeof(*tracker->cells)))
		return -ENOMEM;
	freed = memory_reserve(TRACKER_FREED * sizeof(*freed));
	if (!freed)
		return -ENOMEM;
	r = index_init(&own->index, tracker->slots, tracker->unlisted.end);
	if (r < 0) {
		memory_release(freed, TRACKER_FREED * sizeof(*freed));
		return r;
	}
	own->freed = freed;
	return 0;
}

int tracker_identify(struct tracker *tracker, uint32_t device, const struct table_device *card)
{
	struct table_device_cell *cell = &tracker->cells[device];
	uint64_t *word = tracker->devices[device].card;

	if (device_prepare(tracker, device) < 0)
		return misuse(tracker, TABLE_LOST, -ENOSPC);
	if (!(word[TABLE_KNOWN] & TABLE_STATED))
		memset(word, 0, sizeof(tracker->devices[device].card));
	word[TABLE_KNOWN] |= card->known;
	if (card->known & TABLE_HAS_NODE)
		word[TABLE_NODE] = card->node;
	if (card->known & TABLE_HAS_BDF)
		word[TABLE_BDF] = card->bdf;
	if (card->known & TABLE_HAS_ASIC)
		word[TABLE_ASIC] = card->asic;
	seqlock_write(&cell->seq, cell->copy[0], TABLE_DEVICE_WORDS, word);
	__atomic_fetch_or(&tracker->header->devices, UINT64_C(1) << device, __ATOMIC_RELEASE);
	return 0;
}
