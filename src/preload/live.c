#include "preload/live.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#define ROOM_MIN 256u
#define ROOM_MAX (1u << 28)

/* Buffers come from malloc: the low bits say nothing. */
static uint32_t home(const struct live *live, uint64_t buffer)
{
	return (uint32_t)(buffer * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (live->room - 1);
}

static uint32_t next_place(const struct live *live, uint32_t at)
{
	return (at + 1) & (live->room - 1);
}

/* The place of a buffer, or the empty one where it would be. */
static uint32_t find(const struct live *live, uint64_t buffer)
{
	uint32_t at = home(live, buffer);

	while (live->places[at].buffer && live->places[at].buffer != buffer)
		at = next_place(live, at);
	return at;
}

static size_t bytes_of(uint32_t room)
{
	return room * sizeof(struct live_buffer);
}

static int grow(struct live *live)
{
	struct live grown = { .room = live->room ? 2 * live->room : ROOM_MIN,
			      .count = live->count };
	int saved = errno;

	if (live->room >= ROOM_MAX)
		return -ENOMEM;
	grown.places = mmap(NULL, bytes_of(grown.room), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (grown.places == MAP_FAILED) {
		errno = saved;
		return -ENOMEM;
	}
	madvise(grown.places, bytes_of(grown.room), MADV_DONTFORK);
	for (uint32_t i = 0; i < live->room; i++)
		if (live->places[i].buffer)
			grown.places[find(&grown, live->places[i].buffer)] = live->places[i];
	live_done(live);
	*live = grown;
	errno = saved;
	return 0;
}

int live_add(struct live *live, const struct live_buffer *buffer)
{
	uint32_t at;

	if (live->count >= live->room / 2 && grow(live) < 0)
		return -ENOMEM;
	at = find(live, buffer->buffer);
	if (live->places[at].buffer)
		return -EEXIST;
	live->places[at] = *buffer;
	__atomic_store_n(&live->count, live->count + 1, __ATOMIC_RELAXED);
	return 0;
}

/* Empties a place and moves those behind it up that would not be found past the gap. */
static void remove_at(struct live *live, uint32_t gap)
{
	uint32_t at = gap;

	for (;;) {
		at = next_place(live, at);
		if (!live->places[at].buffer)
			break;
		/* Is its home at or before the gap, going round? */
		if (((at - home(live, live->places[at].buffer)) & (live->room - 1)) >=
		    ((at - gap) & (live->room - 1))) {
			live->places[gap] = live->places[at];
			gap = at;
		}
	}
	live->places[gap].buffer = 0;
	__atomic_store_n(&live->count, live->count - 1, __ATOMIC_RELAXED);
}

bool live_take(struct live *live, uint64_t buffer, struct live_buffer *ret)
{
	uint32_t at;

	if (!live->count)
		return false;
	at = find(live, buffer);
	if (!live->places[at].buffer)
		return false;
	*ret = live->places[at];
	remove_at(live, at);
	return true;
}

bool live_take_next(struct live *live, uint64_t allocator, uint32_t *at, struct live_buffer *ret)
{
	for (; *at < live->room; ++*at) {
		if (!live->places[*at].buffer || live->places[*at].allocator != allocator)
			continue;
		/* Another may move here, so the next look is at the same place. */
		*ret = live->places[*at];
		remove_at(live, *at);
		return true;
	}
	return false;
}

void live_done(struct live *live)
{
	if (live->places)
		munmap(live->places, bytes_of(live->room));
	*live = (struct live){ 0 };
}
