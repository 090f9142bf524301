/*
 * The memory of a device or of a process over time, in exact bytes.
 *
 * A ring indexed by time, not by samples: the step length does not depend on the refresh period,
 * and a step without a sample is a gap.
 */
#pragma once

#include "basic/sparse.h"
#include "model/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERIES_POOLS = POOL_L1 + 1 }; /* only DRAM and L1 are kept */

struct point {
	int64_t time_ns;	     /* CLOCK_MONOTONIC of its last sample; 0: none */
	uint64_t last[SERIES_POOLS]; /* of the last sample */
	uint64_t most[SERIES_POOLS]; /* maximum of the step */
	uint64_t frees : 62;	     /* total so far, at the last sample */
	bool has_frees : 1;
	bool known : 1; /* was the memory known at the last sample? */
};

struct series {
	int64_t step_ns;
	size_t size;
	unsigned samples;   /* number of samples with known memory */
	int64_t begun_ns;   /* time of the first of them */
	int64_t ended_ns;   /* time of the last of them */
	struct point first; /* the first sample */
	uint64_t peak[SERIES_POOLS];
	struct sparse points; /* the step of time t has index t / step_ns % size */
};

/* NULL: out of memory */
struct series *series_new(size_t size, int64_t step_ns);
struct series *series_free(struct series *series);
void series_add(struct series *series, const struct point *point);

/* Can it show a change? It can if its known samples are of more than one moment. */
bool series_spans_time(const struct series *series);

/* Step number n (time / step_ns); NULL if it has no sample. */
const struct point *series_at(const struct series *series, int64_t n);

/*
 * The maximum between two times. The value of a sample holds for hold_ns unless another one follows
 * earlier. False: unknown.
 */
bool series_most(const struct series *series, enum pool pool, int64_t from_ns, int64_t to_ns,
		 int64_t hold_ns, uint64_t *ret);
