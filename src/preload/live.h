/*
 * The buffers that are counted: what must be known of one when it goes, since its
 * device may be gone by then.
 *
 * A hash table that is probed in line, in memory of its own: a forked child has
 * none of it. The caller has the lock.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>

struct live_buffer {
	uint64_t buffer;    /* its address; 0: the place is empty */
	uint64_t allocator; /* its address */
	uint32_t held;	    /* what the tracker knows it by */
};

/* All zero: empty. */
struct live {
	struct live_buffer *places;
	uint32_t room; /* a power of two */
	uint32_t count;
};

/* -EEXIST: it is there already. -ENOMEM. */
MUST_CHECK int live_add(struct live *live, const struct live_buffer *buffer);

/* Finds one and takes it out. */
bool live_take(struct live *live, uint64_t buffer, struct live_buffer *ret);

/* One after the other, all of an allocator; *at is 0 to begin with. */
bool live_take_next(struct live *live, uint64_t allocator, uint32_t *at, struct live_buffer *ret);

void live_done(struct live *live);
