#include "alloc/index.h"

#include "alloc/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#define BUCKETS_MIN 16u
#define BUCKET_LOAD 3u /* entries per bucket, on average, before one is split */
#define ROOM_MIN    2048u

static_assert(sizeof(struct index_line) == 64, "a line of the index is a cache line");

static uint32_t buckets_max(const struct index *index)
{
	return MAX(index->room / BUCKET_LOAD, BUCKETS_MIN);
}

/* Only full lines continue in an overflow line, so n of those mean more than 7 n entries. */
static uint32_t overflow_max(const struct index *index)
{
	return index->room / INDEX_LINE + 1;
}

static int lines_new(struct index *index)
{
	index->lines = memory_reserve_large(buckets_max(index) * sizeof(*index->lines));
	if (!index->lines)
		return -ENOMEM;
	index->overflow = memory_reserve(overflow_max(index) * sizeof(*index->overflow));
	if (!index->overflow) {
		memory_release(index->lines, buckets_max(index) * sizeof(*index->lines));
		return -ENOMEM;
	}
	return 0;
}

int index_init(struct index *index, const struct table_slot *slots, uint32_t room)
{
	*index = (struct index){
		.slots = slots,
		.room = room,
		.base = BUCKETS_MIN,
		.buckets = BUCKETS_MIN,
	};
	while (lines_new(index) < 0) {
		if (index->room / 8 < ROOM_MIN)
			return -ENOMEM;
		index->room /= 8;
	}
	return 0;
}

void index_done(struct index *index)
{
	memory_release(index->lines, buckets_max(index) * sizeof(*index->lines));
	memory_release(index->overflow, overflow_max(index) * sizeof(*index->overflow));
	index->lines = NULL;
	index->overflow = NULL;
}

static uint64_t entry_of(uint64_t hash, uint32_t slot)
{
	return hash << 32 | slot;
}

/*
 *	0        split          base            buckets
 *	|--------|--------------|---------------|
 *	 split: 1 bit more       the new halves
 */
static struct index_line *bucket_of(const struct index *index, uint32_t hash)
{
	uint32_t bucket = hash & (2 * index->base - 1);

	return &index->lines[bucket < index->buckets ? bucket : bucket - index->base];
}

static struct index_line *line_after(const struct index *index, const struct index_line *line)
{
	return line->next ? &index->overflow[line->next - 1] : NULL;
}

static bool slot_has_key(const struct table_slot *slot, uint64_t where, uint64_t id)
{
	return slot->id == id && (slot->meta & SLOT_WHERE) == where;
}

/* The entry with this key in this line; NULL: there is none. */
static uint64_t *line_find(const struct index *index, struct index_line *line, uint32_t hash,
			   uint64_t where, uint64_t id)
{
	for (uint32_t i = 0; i < line->count; i++)
		if (line->entry[i] >> 32 == hash &&
		    slot_has_key(&index->slots[(uint32_t)line->entry[i]], where, id))
			return &line->entry[i];
	return NULL;
}

uint32_t index_find(const struct index *index, uint64_t hash, uint64_t where, uint64_t id)
{
	struct index_line *line = bucket_of(index, (uint32_t)hash);

	for (; line; line = line_after(index, line)) {
		const uint64_t *entry = line_find(index, line, (uint32_t)hash, where, id);

		if (entry)
			return (uint32_t)*entry;
	}
	return INDEX_NONE;
}

/* Allocates an overflow line: its number + 1; 0: none is left. */
static uint32_t overflow_take(struct index *index)
{
	uint32_t number = index->overflow_free;

	if (number)
		index->overflow_free = index->overflow[number - 1].next;
	else if (index->overflow_used < overflow_max(index))
		number = ++index->overflow_used;
	if (number)
		index->overflow[number - 1].count = index->overflow[number - 1].next = 0;
	return number;
}

static void overflow_give_back(struct index *index, uint32_t number)
{
	index->overflow[number - 1].next = index->overflow_free;
	index->overflow_free = number;
}

/* Appends an entry to the chain of its bucket. */
static int entry_add(struct index *index, uint64_t entry)
{
	struct index_line *line = bucket_of(index, (uint32_t)(entry >> 32)), *next;

	while (line->count == INDEX_LINE) {
		if (!line->next)
			line->next = overflow_take(index);
		next = line_after(index, line);
		if (!next)
			return -ENOMEM;
		line = next;
	}
	line->entry[line->count++] = entry;
	return 0;
}

/*
 * Splits the next bucket: its entries go to itself or to a new bucket at the end. Each overflow
 * line is given back before its entries are added, so there is always one for them.
 */
static void bucket_split(struct index *index)
{
	struct index_line *from = &index->lines[index->buckets - index->base];
	struct index_line line = *from;

	from->count = from->next = 0;
	index->buckets++;
	for (;;) {
		uint32_t next = line.next;

		for (uint32_t i = 0; i < line.count; i++)
			(void)!entry_add(index, line.entry[i]);
		if (!next)
			break;
		line = index->overflow[next - 1];
		overflow_give_back(index, next);
	}
	if (index->buckets == 2 * index->base)
		index->base = index->buckets;
}

int index_insert(struct index *index, uint64_t hash, uint32_t slot)
{
	int r = entry_add(index, entry_of(hash, slot));

	if (r < 0)
		return r;
	if (++index->count > index->buckets * BUCKET_LOAD && index->buckets < buckets_max(index))
		bucket_split(index);
	return 0;
}

/* Removes an entry: the last one of the chain takes its place. */
static void entry_remove(struct index *index, struct index_line *line, uint64_t *entry)
{
	struct index_line *before = NULL, *last = line;

	while (last->next) {
		before = last;
		last = line_after(index, last);
	}
	*entry = last->entry[--last->count];
	index->count--;
	if (last->count == 0 && before) {
		overflow_give_back(index, before->next);
		before->next = 0;
	}
}

uint32_t index_take(struct index *index, uint64_t hash, uint64_t where, uint64_t id)
{
	struct index_line *first = bucket_of(index, (uint32_t)hash), *line = first;
	uint64_t *entry = NULL;
	uint32_t slot;

	for (; line && !entry; line = line_after(index, line))
		entry = line_find(index, line, (uint32_t)hash, where, id);
	if (!entry)
		return INDEX_NONE;
	slot = (uint32_t)*entry;
	entry_remove(index, first, entry);
	return slot;
}
