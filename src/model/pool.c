#include "model/pool.h"

const struct pool_split pool_splits[POOL_SPLITS] = {
	{ POOL_DRAM, POOL_TRACE },
	{ POOL_L1, POOL_L1_SMALL },
};

const char *pool_name(enum pool pool)
{
	static const char *const names[POOL_COUNT] = {
		[POOL_DRAM] = "DRAM",	      [POOL_L1] = "L1",	      [POOL_SYSTEM] = "SYSTEM",
		[POOL_L1_SMALL] = "L1_SMALL", [POOL_TRACE] = "TRACE", [POOL_CB] = "CB",
		[POOL_KERNEL] = "KERNEL",
	};

	return names[pool];
}
