#include "alloc/tracker.h"

#include "basic/seqlock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Slots that get memory at a time: a page at first, then doubling up to 64 KiB. */
#define STEP_MIN 128u
#define STEP_MAX 2048u

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

static int misuse(struct tracker *tracker, enum table_misuse kind, int error)
{
	word_store(&tracker->header->misuse[kind], ++tracker->misuse[kind]);
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

/*
 * Populates a range of the mapping. Writing to it would do that too, but if memory is short that
 * raises SIGBUS in the host program, whereas this returns an error. Kernels that do not have it
 * (EINVAL) populate the range on the first write.
 */
static bool memory_prepare(void *start, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t before = (uintptr_t)start % page;
	int saved = errno;
	bool ready;

	ready = madvise((char *)start - before, before + bytes, MADV_POPULATE_WRITE) == 0 ||
		errno == EINVAL;
	errno = saved;
	return ready;
}

static uint32_t range_take(struct tracker *tracker, struct slot_range *range)
{
	uint32_t slot = range->free;

	if (slot) {
		range->free = tracker->index.nodes[slot - 1].next;
		return slot - 1;
	}
	if (range->used == range->end)
		return INDEX_NONE;
	if (range->used == range->ready) {
		uint32_t step = MIN(MAX(STEP_MIN, range->ready), STEP_MAX);

		step = MIN(step, range->end - range->ready);
		if (!memory_prepare(&tracker->slots[range->ready],
				    step * sizeof(struct table_slot)))
			return INDEX_NONE;
		range->ready += step;
	}
	return range->used++;
}

static uint32_t slot_take(struct tracker *tracker)
{
	uint32_t slot = range_take(tracker, &tracker->listed);

	if (slot != INDEX_NONE) {
		/* Readers stop here. The slot is still free, so the order does not matter. */
		if (slot + 1 == tracker->listed.used)
			word_store(&tracker->header->slots_used, tracker->listed.used);
		return slot;
	}
	slot = range_take(tracker, &tracker->unlisted);
	if (slot != INDEX_NONE) {
		misuse(tracker, TABLE_UNLISTED, 0);
		word_store(&tracker->header->unlisted, ++tracker->unlisted_held);
	}
	return slot;
}

static void slot_give_back(struct tracker *tracker, uint32_t slot)
{
	bool listed = slot < tracker->listed.end;
	struct slot_range *range = listed ? &tracker->listed : &tracker->unlisted;

	tracker->index.nodes[slot].next = range->free;
	range->free = slot + 1;
	if (!listed)
		word_store(&tracker->header->unlisted, --tracker->unlisted_held);
}

/* The meta word after one more change; its lowest bit is set while the slot is used. */
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

/* Changes a pool by `less` and `more` bytes, with the counters. */
static void pool_change(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t less,
			uint64_t more, uint64_t now)
{
	struct table_pool_cell *cell = &tracker->devices[device].pool[pool];
	uint64_t *word = tracker->pool[device][pool];

	word[TABLE_NOW] = word[TABLE_NOW] - less + more;
	word[TABLE_PEAK] = MAX(word[TABLE_PEAK], word[TABLE_NOW]);
	word[TABLE_ALLOCS] += more > 0;
	word[TABLE_FREES] += less > 0;
	word[TABLE_CHANGED] = now;
	seqlock_write(&cell->seq, cell->copy[0], TABLE_POOL_WORDS, word);
}

static bool pool_has_room(const struct tracker *tracker, uint32_t device, uint32_t pool,
			  uint64_t less, uint64_t more)
{
	uint64_t now = tracker->pool[device][pool][TABLE_NOW] - less;

	return more <= TABLE_BYTES_MAX && now + more <= TABLE_BYTES_MAX;
}

/* The id is held already: a free was missed, so it counts as free and new allocation. */
static int alloc_replace(struct tracker *tracker, uint32_t at, uint32_t device, uint32_t pool,
			 uint64_t size, uint64_t now)
{
	struct table_slot *slot = &tracker->slots[at];
	uint64_t old = slot->size;

	if (!pool_has_room(tracker, device, pool, old, size))
		return misuse(tracker, TABLE_OVERFLOW, -EOVERFLOW);
	slot_empty(slot);
	slot_fill(slot, slot_where(device, pool), slot->id, size, now);
	pool_change(tracker, device, pool, old, size, now);
	return misuse(tracker, TABLE_DUPLICATE, -EEXIST);
}

int tracker_alloc(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t id,
		  uint64_t size, uint64_t now)
{
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
	slot = index_find(&tracker->index, hash, where, id);
	if (slot != INDEX_NONE)
		return alloc_replace(tracker, slot, device, pool, size, now);
	if (!pool_has_room(tracker, device, pool, 0, size))
		return misuse(tracker, TABLE_OVERFLOW, -EOVERFLOW);
	slot = slot_take(tracker);
	if (slot == INDEX_NONE)
		return misuse(tracker, TABLE_LOST, -ENOSPC);

	slot_fill(&tracker->slots[slot], where, id, size, now);
	index_insert(&tracker->index, hash, slot);
	pool_change(tracker, device, pool, 0, size, now);
	return 0;
}

static int free_unknown(struct tracker *tracker, uint64_t hash)
{
	if (tracker->freed[hash % TRACKER_FREED] == hash)
		return misuse(tracker, TABLE_DOUBLE_FREE, -ENOENT);
	return misuse(tracker, TABLE_UNKNOWN_FREE, -ENOENT);
}

int tracker_free(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t id, uint64_t now)
{
	uint64_t where, hash, size;
	uint32_t slot;
	int r;

	r = where_check(tracker, device, pool);
	if (r < 0)
		return r;
	where = slot_where(device, pool);
	hash = index_hash(where, id);
	slot = index_find(&tracker->index, hash, where, id);
	if (slot == INDEX_NONE)
		return free_unknown(tracker, hash);

	size = tracker->slots[slot].size;
	index_remove(&tracker->index, hash, slot);
	slot_empty(&tracker->slots[slot]);
	slot_give_back(tracker, slot);
	pool_change(tracker, device, pool, size, 0, now);
	tracker->freed[hash % TRACKER_FREED] = hash;
	return 0;
}

/* The slots of one allocation form a list, by links that the index does not use for them. */
uint32_t tracker_hold(struct tracker *tracker, uint64_t devices, uint32_t pool, uint64_t id,
		      uint64_t size, uint64_t now)
{
	uint32_t held = 0;

	for (; devices; devices &= devices - 1) {
		uint32_t device = (uint32_t)__builtin_ctzll(devices), slot;

		if (!pool_has_room(tracker, device, pool, 0, size)) {
			misuse(tracker, TABLE_OVERFLOW, 0);
			continue;
		}
		slot = slot_take(tracker);
		if (slot == INDEX_NONE) {
			misuse(tracker, TABLE_LOST, 0);
			continue;
		}
		slot_fill(&tracker->slots[slot], slot_where(device, pool), id, size, now);
		pool_change(tracker, device, pool, 0, size, now);
		tracker->index.nodes[slot].next = held;
		held = slot + 1;
	}
	return held;
}

void tracker_drop(struct tracker *tracker, uint32_t held, uint64_t now)
{
	while (held) {
		uint32_t at = held - 1;
		struct table_slot *slot = &tracker->slots[at];
		uint64_t meta = slot->meta;

		held = tracker->index.nodes[at].next;
		slot_empty(slot);
		slot_give_back(tracker, at);
		pool_change(tracker, slot_device(meta), slot_pool(meta), slot->size, 0, now);
	}
}

int tracker_failure(struct tracker *tracker, uint32_t device, uint32_t pool)
{
	struct table_pool_cell *cell;
	int r;

	r = where_check(tracker, device, pool);
	if (r < 0)
		return r;
	cell = &tracker->devices[device].pool[pool];
	tracker->pool[device][pool][TABLE_FAILURES]++;
	seqlock_write(&cell->seq, cell->copy[0], TABLE_POOL_WORDS, tracker->pool[device][pool]);
	return 0;
}

void tracker_set_program(struct tracker *tracker, const char *name)
{
	uint64_t word[TABLE_PROGRAM_WORDS] = { 0 };

	memcpy(word, name, strnlen(name, TABLE_PROGRAM_MAX - 1));
	seqlock_write(&tracker->header->program_seq, tracker->header->program[0],
		      TABLE_PROGRAM_WORDS, word);
}

int tracker_identify(struct tracker *tracker, uint32_t device, const struct table_device *card)
{
	struct table_device_cell *cell = &tracker->devices[device];
	uint64_t *word = tracker->device[device];

	if (!memory_prepare(cell, sizeof(*cell)))
		return misuse(tracker, TABLE_LOST, -ENOSPC);
	if (!(word[TABLE_KNOWN] & TABLE_STATED))
		memset(word, 0, sizeof(tracker->device[device]));
	word[TABLE_KNOWN] |= card->known;
	if (card->known & TABLE_HAS_NODE)
		word[TABLE_NODE] = card->node;
	if (card->known & TABLE_HAS_BDF)
		word[TABLE_BDF] = card->bdf;
	if (card->known & TABLE_HAS_ASIC)
		word[TABLE_ASIC] = card->asic;
	seqlock_write(&cell->seq, cell->copy[0], TABLE_DEVICE_WORDS, word);
	word_store(&tracker->header->devices, tracker->header->devices | UINT64_C(1) << device);
	return 0;
}
