/*
 * Memory pools. Memory per pool is always an array indexed by enum pool.
 *
 * The values are part of two layouts, the table of libttalloc and the server's snapshot
 * (docs/shared-memory.md, docs/protocol.md), and are those of ttalloc.h; up to POOL_TRACE they are
 * also those of TT-Metal's BufferType. Formats with other numbers or another order are converted
 * where they are decoded, in proto/.
 */
#pragma once

#include <stdint.h>

enum pool {
	POOL_DRAM = 0,
	POOL_L1 = 1,
	POOL_SYSTEM = 2, /* host memory */
	POOL_L1_SMALL = 3,
	POOL_TRACE = 4,
	POOL_CB = 5, /* circular buffers */
	POOL_KERNEL = 6,
	POOL_COUNT,
};

/* A pool that contains another one: its used memory includes that of the part. */
struct pool_split {
	enum pool whole, part;
};

enum { POOL_SPLITS = 2 };

extern const struct pool_split pool_splits[POOL_SPLITS];

/* How often memory was allocated, or could not be, in a pool and the part that it contains. */
struct allocation_count {
	uint64_t allocs, failures;
};

const char *pool_name(enum pool pool);
