#include "proto/table.h"

#include <errno.h>
#include <string.h>

#define SLOT_TRIES 8
#define BDF_MAX	   UINT64_C(0xffffffffffff) /* domains have at most 32 bits */

/* Checks the part of the header that does not change once the magic is written. */
static int header_check(const struct table_header *header)
{
	uint64_t magic = word_load(&header->magic);

	if (magic == 0)
		return -EAGAIN;
	if (magic != TABLE_MAGIC)
		return -EBADMSG;
	if (header->version != TABLE_VERSION)
		return -EPROTONOSUPPORT;
	if (header->header_size != sizeof(struct table_header) ||
	    header->device_size != sizeof(struct table_device_cell) ||
	    header->device_count != TABLE_DEVICES || header->pool_count != POOL_COUNT ||
	    header->slot_size != sizeof(struct table_slot) ||
	    header->slot_offset != TABLE_SLOT_OFFSET)
		return -EBADMSG;
	return 0;
}

int table_view_init(struct table_view *ret, const void *data, size_t length)
{
	const struct table_header *header = data;
	struct table_view view = { .header = header };
	int r;

	if ((uintptr_t)data % sizeof(uint64_t))
		return -EINVAL;
	if (length < TABLE_SLOT_OFFSET)
		return -EBADMSG;
	r = header_check(header);
	if (r < 0)
		return r;
	view.slot_capacity = word_load(&header->slot_capacity);
	if (view.slot_capacity > TABLE_SLOTS_MAX)
		return -EBADMSG;

	view.devices = (const void *)((const char *)data + TABLE_DEVICE_OFFSET);
	view.slots = (const void *)((const char *)data + TABLE_SLOT_OFFSET);
	view.slot_room = (length - TABLE_SLOT_OFFSET) / sizeof(struct table_slot);
	view.pid = word_load(&header->pid);
	view.start_ticks = word_load(&header->start_ticks);
	view.created_ns = word_load(&header->created);
	view.flags = word_load(&header->flags);
	*ret = view;
	return 0;
}

uint64_t table_devices(const struct table_view *view)
{
	return word_load(&view->header->devices);
}

int table_read_pool(const struct table_view *view, uint32_t device, enum pool pool,
		    struct table_pool_total *ret)
{
	const struct table_pool_cell *cell = &view->devices[device].pool[pool];
	uint64_t word[TABLE_POOL_WORDS];
	int r;

	r = seqlock_read(&cell->seq, cell->copy[0], TABLE_POOL_WORDS, word);
	if (r < 0)
		return r;
	if (word[TABLE_NOW] > word[TABLE_PEAK] || word[TABLE_PEAK] > TABLE_BYTES_MAX)
		return -EBADMSG;
	if (word[TABLE_FREES] > word[TABLE_ALLOCS])
		return -EBADMSG;
	/* An allocation has at least one byte. */
	if (word[TABLE_NOW] < word[TABLE_ALLOCS] - word[TABLE_FREES])
		return -EBADMSG;
	if (word[TABLE_NOW] > 0 && word[TABLE_ALLOCS] == word[TABLE_FREES])
		return -EBADMSG;

	*ret = (struct table_pool_total){
		.now_bytes = word[TABLE_NOW],
		.peak_bytes = word[TABLE_PEAK],
		.allocs = word[TABLE_ALLOCS],
		.frees = word[TABLE_FREES],
		.failures = word[TABLE_FAILURES],
		.changed_ns = word[TABLE_CHANGED],
	};
	return 0;
}

int table_read_device(const struct table_view *view, uint32_t device, struct table_device *ret)
{
	const struct table_device_cell *cell = &view->devices[device];
	uint64_t word[TABLE_DEVICE_WORDS];
	int r;

	r = seqlock_read(&cell->seq, cell->copy[0], TABLE_DEVICE_WORDS, word);
	if (r < 0)
		return r;
	if (word[TABLE_KNOWN] &
	    ~(uint64_t)(TABLE_HAS_NODE | TABLE_HAS_BDF | TABLE_HAS_ASIC | TABLE_STATED))
		return -EBADMSG;
	if (word[TABLE_NODE] > TABLE_NODE_MAX || word[TABLE_BDF] > BDF_MAX)
		return -EBADMSG;

	*ret = (struct table_device){
		.known = (uint32_t)word[TABLE_KNOWN],
		.node = (uint32_t)word[TABLE_NODE],
		.bdf = word[TABLE_BDF],
		.asic = word[TABLE_ASIC],
	};
	return 0;
}

int table_read_program(const struct table_view *view, char ret[TABLE_PROGRAM_MAX])
{
	uint64_t word[TABLE_PROGRAM_WORDS];
	int r;

	r = seqlock_read(&view->header->program_seq, view->header->program[0], TABLE_PROGRAM_WORDS,
			 word);
	if (r < 0)
		return r;
	if (!memchr(word, '\0', sizeof(word)))
		return -EBADMSG;
	strncpy(ret, (const char *)word, TABLE_PROGRAM_MAX); /* pads with NULs */
	return 0;
}

uint64_t table_misuse_count(const struct table_view *view, enum table_misuse kind)
{
	return word_load(&view->header->misuse[kind]);
}

enum slot_state {
	SLOT_FREE,
	SLOT_HELD,
	SLOT_CHANGING,
	SLOT_INVALID,
};

static enum slot_state slot_read(const struct table_slot *slot, struct table_allocation *ret)
{
	for (int i = 0; i < SLOT_TRIES; i++) {
		uint64_t meta = word_load(&slot->meta);
		struct table_allocation got = {
			.id = word_load(&slot->id),
			.size = word_load(&slot->size),
			.time_ns = word_load(&slot->time),
			.device = slot_device(meta),
			.pool = (enum pool)slot_pool(meta),
		};

		if (!(meta & 1))
			return SLOT_FREE;
		if (word_load(&slot->meta) != meta)
			continue;
		if (meta >> 56 || got.device >= TABLE_DEVICES || got.pool >= POOL_COUNT)
			return SLOT_INVALID;
		if (got.size == 0 || got.size > TABLE_BYTES_MAX)
			return SLOT_INVALID;
		*ret = got;
		return SLOT_HELD;
	}
	return SLOT_CHANGING;
}

/* The end of the used slots as stated by the writer, limited to the buffer. */
static uint64_t slots_end(const struct table_view *view)
{
	uint64_t used = word_load(&view->header->slots_used);

	return MIN(used, MIN(view->slot_room, view->slot_capacity));
}

bool table_next(const struct table_view *view, struct table_cursor *cursor,
		struct table_allocation *ret)
{
	uint64_t end = slots_end(view);

	while (cursor->next < end) {
		switch (slot_read(&view->slots[cursor->next++], ret)) {
		case SLOT_FREE: break;
		case SLOT_HELD: return true;
		case SLOT_CHANGING: cursor->changing++; break;
		case SLOT_INVALID: cursor->invalid++; break;
		}
	}
	return false;
}

bool table_list_is_complete(const struct table_view *view)
{
	return word_load(&view->header->unlisted) == 0 &&
	       word_load(&view->header->slots_used) <= slots_end(view);
}
