/*
 * What a process held before anybody watched: the allocator's own set of live
 * buffers, read from its memory while it runs on.
 */
#pragma once

#include "metal/buffer_check.h"

#include <stddef.h>

/* The memory of another process. read: 0, or -errno; all or nothing. */
struct metal_memory {
	int (*read)(void *arg, uint64_t address, void *to, size_t length);
	void *arg;
};

/* -EBADMSG: no Buffer there. */
int metal_buffer_read(const struct metal_shape *shape, const struct metal_memory *memory,
		      uint64_t address, struct metal_buffer *ret);

/*
 * The buffers of an allocator that have memory, by one walk. The place of the set
 * differs from version to version: each known one is tried, and believed only if all
 * that it leads to fits together. -EBADMSG: none did, or the set changed meanwhile.
 */
int metal_live_buffers(const struct metal_shape *shape, const struct metal_memory *memory,
		       uint64_t allocator, struct metal_buffer **ret, size_t *ret_count);
