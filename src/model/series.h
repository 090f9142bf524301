/*
 * The memory of a device or of a process over time, in exact bytes.
 *
 * The samples of a step of time share a point. If the array is full although all of its points are
 * within the span, the step doubles, and each two points that are now in the same step are merged.
 * So the size is bounded, no sample is lost from the ranges, and the whole span is always covered.
 * A time without samples is a gap.
 */
#pragma once

#include "model/metric.h"
#include "model/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERIES_POOLS = POOL_L1 + 1 }; /* only DRAM and L1 are kept */

/* One sample, or the samples of one step. Amounts are those of samples with known memory. */
struct point {
	int64_t time_ns; /* CLOCK_MONOTONIC of the last known sample, or of the last if none is */
	uint64_t last[SERIES_POOLS]; /* at that time */
	uint64_t low, high;	     /* the range of DRAM */
	uint64_t least;		     /* minimum of DRAM and L1 together */
	uint64_t frees : 60;	     /* total so far, at that time */
	bool has_frees : 1;
	bool known : 1;	 /* is any sample known? */
	bool ends : 1;	 /* unknown samples followed the last known one */
	bool joined : 1; /* no gap between the sample before it and its first one */
};

struct series {
	int64_t step_ns;    /* steps begin at multiples of it */
	int64_t span_ns;    /* older points are dropped */
	size_t most;	    /* maximum number of points */
	unsigned samples;   /* number of samples with known memory */
	int64_t ended_ns;   /* time of the last of them */
	int64_t until_ns;   /* until then the last sample holds */
	struct point first; /* the first sample with known memory, even if it was dropped since */
	uint64_t peak[SERIES_POOLS];
	struct point *points; /* a ring; see series_at() */
	size_t begin, count, room;
};

/*
 * most: maximum number of points; 0: only the first sample, the peak and the number of samples are
 * kept. NULL: out of memory.
 */
struct series *series_new(size_t most, int64_t step_ns, int64_t span_ns);
struct series *series_free(struct series *series);

/*
 * Adds a sample: its time, the last amounts and frees, and whether they are known. Its value holds
 * for hold_ns unless another one follows earlier. Without memory it is dropped.
 */
void series_add(struct series *series, const struct point *sample, int64_t hold_ns);

/* Can it show a change? It can if its known samples are of more than one moment. */
bool series_spans_time(const struct series *series);

/* The points from the oldest (0) to the newest. NULL: beyond the newest. */
const struct point *series_at(const struct series *series, size_t i);

/* When the step of a point begins. */
int64_t series_step_begin(const struct series *series, const struct point *point);

/* The lowest and the highest DRAM in bytes between two times. False: a gap. */
bool series_range(const struct series *series, int64_t from_ns, int64_t to_ns,
		  struct metric_range *ret);
