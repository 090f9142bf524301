/*
 * Detects memory growth of a process, from time and slope.
 *
 * The observed time, at most ten minutes, is divided into six parts, and the minimum of each part
 * is used: temporary allocations raise the maxima, a leak raises the minimum. A minimum that rises
 * from part to part and never falls is called a leak after one minute if nothing was freed, and
 * after five minutes if there were frees or frees are not counted.
 */
#pragma once

#include "model/history.h"

enum trend {
	TREND_UNKNOWN, /* not observed for long enough */
	TREND_STEADY,
	TREND_GREW,
	TREND_SHRANK,
	TREND_LEAK, /* probable leak */
	TREND_N,
};

struct growth {
	enum trend trend;
	int64_t bytes;	 /* change of DRAM and L1 together */
	int64_t span_ns; /* time between the two ends */
	bool has_frees;
	uint64_t frees; /* during that time */
};

/* series may be NULL. */
struct growth growth_judge(const struct series *series);

/* A word for programs, e.g. "steady". */
const char *trend_name(enum trend trend);
