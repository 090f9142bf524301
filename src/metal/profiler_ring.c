#include "metal/profiler_ring.h"

#include "basic/macros.h"

#include <errno.h>
#include <string.h>

/* Members of D2HSocket, from SOCKET_FIRST on; the same since v0.71. */
enum { SOCKET_FIRST = 80 };

struct socket_part {
	uint32_t fifo_size, page_size, bytes_acked, bytes_sent, read_ptr, fifo_curr_size;
	uint8_t unused_1[40];
	uint64_t host_buffer;
	uint8_t unused_2[8];
	uint64_t bytes_sent_ptr;
};

_Static_assert(offsetof(struct socket_part, host_buffer) == 144 - SOCKET_FIRST, "as in TT-Metal");
_Static_assert(offsetof(struct socket_part, bytes_sent_ptr) == 160 - SOCKET_FIRST,
	       "as in TT-Metal");

/* Offsets in a D2HSocket: the flag for data in a huge page, and the pointers after it. */
static const struct huge_offsets {
	uint16_t flag, data, counter;
} huge_offsets[] = {
	{ 293, 296, 304 }, /* v0.76 and v0.77 */
	{ 301, 304, 312 }, /* later */
};

/* Members of DeviceState; the same since v0.71. */
struct state_part {
	uint64_t device;
	uint32_t chip;
	uint8_t unused_1[68];
	uint64_t socket;
	uint8_t unused_2[24];
	uint64_t first_timestamp, sync_host_start;
	double sync_frequency;
};

_Static_assert(offsetof(struct state_part, socket) == 80, "as in TT-Metal");
_Static_assert(offsetof(struct state_part, sync_frequency) == 128, "as in TT-Metal");

enum {
	STATE_SIZE = 192,    /* of a DeviceState since v0.76 */
	MANAGER_DEVICES = 24 /* offset of the vector of DeviceStates in the manager since v0.76 */
};

/* Pages with this header or a higher one are markers (synchronisation, stalls), not programs. */
#define FIRST_MARKER 0xFFFFFFFEU

static int read_socket(const struct metal_memory *memory, uint64_t address, struct socket_part *ret)
{
	int r;

	if (!metal_is_pointer(address))
		return -EBADMSG;
	r = memory->read(memory->arg, address + SOCKET_FIRST, ret, sizeof(*ret));
	if (r < 0)
		return r;
	return ret->page_size != PROFILER_RECORD || ret->fifo_size != PROFILER_RING ||
			       ret->bytes_acked % PROFILER_RECORD
		       ? -EBADMSG
		       : 0;
}

/* Finds the addresses of data and counter in a huge page. */
static int find_huge(const struct metal_memory *memory, struct profiler_ring *ring)
{
	int found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(huge_offsets); i++) {
		const struct huge_offsets *at = &huge_offsets[i];
		uint64_t pointers[2];
		uint8_t flag;
		int r = memory->read(memory->arg, ring->socket + at->flag, &flag, 1);

		if (r == 0)
			r = memory->read(memory->arg, ring->socket + at->data, pointers,
					 sizeof(pointers));
		if (r < 0)
			return r;
		if (flag != 1 || !metal_is_pointer(pointers[0]) || pointers[0] % PROFILER_RECORD ||
		    pointers[1] != pointers[0] + PROFILER_RING)
			continue;
		ring->data = pointers[0];
		ring->counter = pointers[1];
		ring->is_huge = true;
		found++;
	}
	return found == 1 ? 0 : -EBADMSG; /* if both layouts fit, it is ambiguous */
}

static int find_data(const struct metal_memory *memory, const struct socket_part *socket,
		     struct profiler_ring *ring)
{
	if (!socket->host_buffer)
		return find_huge(memory, ring);
	if (!metal_is_pointer(socket->host_buffer) ||
	    socket->bytes_sent_ptr != socket->host_buffer + PROFILER_RING)
		return -EBADMSG;
	ring->data = socket->host_buffer;
	ring->counter = socket->bytes_sent_ptr;
	return 0;
}

/* The position up to which records can be read. */
static int read_end(const struct profiler_ring *ring, const struct metal_memory *memory,
		    const struct socket_part *socket, uint32_t *ret)
{
	int r;

	if (ring->is_huge) {
		*ret = socket->bytes_acked;
		return 0;
	}
	r = memory->read(memory->arg, ring->counter, ret, sizeof(*ret));
	if (r < 0)
		return r;
	/* Up to two rings ahead, since bytes_acked was read a moment before. */
	return *ret % PROFILER_RECORD || *ret - socket->bytes_acked > 2 * PROFILER_RING ? -EBADMSG
											: 0;
}

int profiler_ring_find(const struct metal_memory *memory, uint64_t address,
		       struct profiler_ring *ret)
{
	struct profiler_ring ring = { .state = address };
	struct socket_part socket;
	struct state_part state;
	int r;

	r = memory->read(memory->arg, address, &state, sizeof(state));
	if (r < 0)
		return r;
	if (!metal_is_pointer(state.device) || state.chip >= PROFILER_CHIPS)
		return -EBADMSG;
	if (!state.socket)
		return 0;
	ring.chip = state.chip;
	ring.socket = state.socket;
	r = read_socket(memory, ring.socket, &socket);
	if (r == 0)
		r = find_data(memory, &socket, &ring);
	if (r == 0)
		r = read_end(&ring, memory, &socket, &ring.position);
	if (r < 0)
		return r;
	*ret = ring;
	return 1;
}

int profiler_rings_find(const struct metal_memory *memory, uint64_t manager,
			struct profiler_ring *ret, size_t room)
{
	uint64_t vector[3]; /* begin, end, end of storage, as in libstdc++ */
	size_t count = 0;
	int r;

	if (!metal_is_pointer(manager))
		return -EBADMSG;
	r = memory->read(memory->arg, manager + MANAGER_DEVICES, vector, sizeof(vector));
	if (r < 0)
		return r;
	if (!vector[0] && !vector[1])
		return 0;
	if (!metal_is_pointer(vector[0]) || vector[1] < vector[0] || vector[2] < vector[1] ||
	    (vector[1] - vector[0]) % STATE_SIZE ||
	    vector[1] - vector[0] > PROFILER_CHIPS * (uint64_t)STATE_SIZE)
		return -EBADMSG;
	for (uint64_t state = vector[0]; state < vector[1] && count < room; state += STATE_SIZE) {
		r = profiler_ring_find(memory, state, &ret[count]);
		if (r < 0)
			return r;
		count += (size_t)r;
	}
	return (int)count;
}

bool profiler_record_decode(const void *page, struct program_record *ret)
{
	uint32_t words[6];

	memcpy(words, page, sizeof(words));
	*ret = (struct program_record){
		.start = (uint64_t)words[0] << 32 | words[1],
		.id = (uint16_t)words[2],
		.end = (uint64_t)words[4] << 32 | words[5],
	};
	return words[3] < FIRST_MARKER && ret->id != 0;
}

void profiler_pages_decode(struct profiler_batch *batch, const uint8_t *pages, uint32_t length)
{
	for (uint32_t at = 0; at < length; at += PROFILER_RECORD) {
		struct program_record record;

		if (!profiler_record_decode(pages + at, &record))
			continue;
		if (record.end < record.start || !record.start)
			batch->invalid++;
		else
			batch->records[batch->count++] = record;
	}
}

/* The bytes of the ring from a position on, in two pieces where it wraps. */
static int read_pages(const struct profiler_ring *ring, const struct metal_memory *memory,
		      uint32_t position, uint32_t length, uint8_t *pages)
{
	uint32_t at = position % PROFILER_RING, first = MIN(length, PROFILER_RING - at);
	int r = memory->read(memory->arg, ring->data + at, pages, first);

	if (r == 0 && length > first)
		r = memory->read(memory->arg, ring->data, pages + first, length - first);
	return r;
}

/* The socket is read only if the chip still has it. */
static int check(const struct profiler_ring *ring, const struct metal_memory *memory,
		 struct socket_part *socket, struct profiler_batch *batch)
{
	struct state_part state;
	int r = memory->read(memory->arg, ring->state, &state, sizeof(state));

	if (r < 0)
		return r;
	if (state.chip != ring->chip || state.socket != ring->socket)
		return -EBADMSG;
	r = read_socket(memory, ring->socket, socket);
	if (r < 0)
		return r;
	if (!ring->is_huge &&
	    (socket->host_buffer != ring->data || socket->bytes_sent_ptr != ring->counter))
		return -EBADMSG;
	batch->first_tick = state.first_timestamp;
	batch->host_ns = (int64_t)state.sync_host_start;
	batch->ticks_per_ns = state.sync_frequency;
	return 0;
}

int profiler_ring_check(const struct profiler_ring *ring, const struct metal_memory *memory,
			struct profiler_batch *ret)
{
	struct socket_part socket;

	return check(ring, memory, &socket, ret);
}

/*
 * The chip overwrites only what TT-Metal has acknowledged. What may have been overwritten while it
 * was read is found with a second look at the counter, and dropped.
 */
int profiler_ring_read(struct profiler_ring *ring, const struct metal_memory *memory, void *pages,
		       struct profiler_batch *ret)
{
	uint32_t from = ring->position, end, after, skip;
	struct socket_part socket;
	int r;

	ret->count = 0;
	ret->lost = ret->invalid = 0;
	r = check(ring, memory, &socket, ret);
	if (r == 0)
		r = read_end(ring, memory, &socket, &end);
	if (r < 0 || end == from)
		return r;
	if (end - from > PROFILER_RING) {
		ret->lost = (end - from - PROFILER_RING) / PROFILER_RECORD;
		from = end - PROFILER_RING;
	}
	r = read_pages(ring, memory, from, end - from, pages);
	if (r == 0)
		r = memory->read(memory->arg, ring->counter, &after, sizeof(after));
	if (r < 0)
		return r;
	skip = after - from > PROFILER_RING ? MIN(after - from - PROFILER_RING, end - from) : 0;
	skip -= skip % PROFILER_RECORD;
	ret->lost += skip / PROFILER_RECORD;
	profiler_pages_decode(ret, (const uint8_t *)pages + skip, end - from - skip);
	ring->position = end;
	return 0;
}
