/*
 * The memory of a device or of a process over time, in exact bytes.
 *
 * A ring indexed by time, not by samples: steps of one length, whatever the refresh period,
 * and a step without a sample is a gap.
 */
#pragma once

#include "model/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERIES_POOLS = POOL_L1 + 1 }; /* DRAM and L1 are kept */

/* One step. */
struct point {
	int64_t time_ns;	     /* CLOCK_MONOTONIC of its last sample; 0: none */
	uint64_t last[SERIES_POOLS]; /* at that time */
	uint64_t most[SERIES_POOLS]; /* in the whole step */
	uint64_t frees : 62;	     /* so far, at that time */
	bool has_frees : 1;
	bool known : 1; /* was the memory, at that time? */
};

struct series {
	int64_t step_ns;
	size_t size;
	unsigned samples;   /* with known memory, so far */
	int64_t begun_ns;   /* the first of them */
	int64_t ended_ns;   /* the last of them */
	struct point first; /* as it was then */
	uint64_t peak[SERIES_POOLS];
	struct point points[]; /* the step of time t is at t / step_ns % size */
};

/* NULL: out of memory. */
struct series *series_new(size_t size, int64_t step_ns);
struct series *series_free(struct series *series);
void series_add(struct series *series, const struct point *point);

/* The step that begins with step number n (time / step_ns); NULL: no sample in it. */
const struct point *series_at(const struct series *series, int64_t n);

/*
 * The most between two times. A sample stands for hold_ns after it unless another
 * one follows: then what was last known counts. False: nothing is known of it.
 */
bool series_most(const struct series *series, enum pool pool, int64_t from_ns, int64_t to_ns,
		 int64_t hold_ns, uint64_t *ret);
