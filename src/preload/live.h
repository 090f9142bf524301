/*
 * The counted buffers. What is needed to count a free is stored here, since the device may be
 * destroyed by then. A forked child does not inherit this memory. The caller holds the lock.
 */
#pragma once

#include "basic/hash_table.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>

struct live_buffer {
	uint64_t buffer;    /* its address, never 0 */
	uint64_t allocator; /* its address */
	uint32_t held;	    /* handle of the tracker */
};

/* -EEXIST: already counted. -ENOMEM. */
MUST_CHECK int live_add(struct hash_table *live, const struct live_buffer *buffer);

/* Finds a buffer and removes it. */
bool live_take(struct hash_table *live, uint64_t buffer, struct live_buffer *ret);

/* Removes the next buffer of an allocator; *at is 0 at the start. False: there is none left. */
bool live_take_next(struct hash_table *live, uint64_t allocator, size_t *at,
		    struct live_buffer *ret);

void live_done(struct hash_table *live);
