/*
 * Does the memory of a process keep growing? Judged by time and slope.
 *
 * The time it was watched, at most ten minutes, is cut into six parts. What counts is
 * the least that was held in each: work that comes and goes lifts the peaks, a leak
 * lifts the floor. A floor that rises from part to part and never falls is called
 * a leak after a minute if nothing was freed at all, and after five if something was
 * or frees are not counted.
 */
#pragma once

#include "model/history.h"

enum trend {
	TREND_UNKNOWN, /* not watched for long enough */
	TREND_STEADY,
	TREND_GREW,
	TREND_SHRANK,
	TREND_LEAK, /* it seems */
	TREND_N,
};

struct growth {
	enum trend trend;
	int64_t bytes;	 /* DRAM and L1, now minus then */
	int64_t span_ns; /* between then and now */
	bool has_frees;
	uint64_t frees; /* in that time */
};

/* series may be NULL. */
struct growth growth_judge(const struct series *series);

/* A word for programs: "steady". */
const char *trend_name(enum trend trend);
