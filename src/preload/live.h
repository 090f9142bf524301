/*
 * The buffers that are counted: what must be known of one when it goes, since its
 * device may be gone by then. In memory that a forked child does not inherit. The caller
 * has the lock.
 */
#pragma once

#include "basic/hash_table.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>

struct live_buffer {
	uint64_t buffer;    /* its address, never 0 */
	uint64_t allocator; /* its address */
	uint32_t held;	    /* what the tracker knows it by */
};

/* -EEXIST: it is there already. -ENOMEM. */
MUST_CHECK int live_add(struct hash_table *live, const struct live_buffer *buffer);

/* Finds one and takes it out. */
bool live_take(struct hash_table *live, uint64_t buffer, struct live_buffer *ret);

/* One after the other, all of an allocator; *at is 0 to begin with. */
bool live_take_next(struct hash_table *live, uint64_t allocator, size_t *at,
		    struct live_buffer *ret);

void live_done(struct hash_table *live);
