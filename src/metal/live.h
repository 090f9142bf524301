/*
 * The live buffers of an allocator, read from the memory of a running process: for memory that
 * was allocated before the process was traced.
 */
#pragma once

#include "metal/buffer_check.h"

#include <stddef.h>

/* The memory of another process. read: 0, or -errno; all or nothing. */
struct metal_memory {
	int (*read)(void *arg, uint64_t address, void *to, size_t length);
	void *arg;
};

/*
 * The buffers of an allocator that have memory, by one walk over its set of live buffers. The
 * offset of the set differs between versions: each known one is tried, and accepted only if
 * everything that it leads to is consistent. -EBADMSG: none was, or the set changed meanwhile.
 */
int metal_live_buffers(const struct metal_shape *shape, const struct metal_memory *memory,
		       uint64_t allocator, struct metal_buffer **ret, size_t *ret_count);
