/*
 * What memory was, lately: for each device, and for each process on it.
 *
 * A series is a ring over time, not over samples: ten minutes in steps of one
 * length, whatever the pace of the samples, and a step without a sample is a gap.
 * Its memory is fixed: 600 steps of a second for a device, 40 of fifteen seconds for a
 * process whose memory is known, which are 2 KB, and so many of those at most. Pure
 * functions of snapshots, no clock.
 */
#pragma once

#include "basic/macros.h"
#include "model/snapshot.h"

#define HISTORY_SPAN_NS	  INT64_C(600000000000)
#define HISTORY_PROCESSES 1024 /* beyond these, the longest gone is forgotten */

enum quantity { QUANTITY_DRAM, QUANTITY_L1, QUANTITY_N };

/* One step. */
struct point {
	int64_t time_ns;	   /* CLOCK_MONOTONIC of its last sample; 0: none */
	uint64_t last[QUANTITY_N]; /* at that time */
	uint64_t most[QUANTITY_N]; /* in the whole step */
	uint64_t frees : 62;	   /* so far, at that time */
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
	uint64_t peak[QUANTITY_N];
	struct point points[]; /* the step of time t is at t / step_ns % size */
};

struct history;

MUST_CHECK int history_new(struct history **ret);
struct history *history_free(struct history *history);

/* Adds a sample of all devices and processes. -ENOMEM: some of them are missing. */
int history_add(struct history *history, const struct snapshot *snapshot);

/* NULL: never seen. */
const struct series *history_of_device(const struct history *history, const struct device *dev);
const struct series *history_of_process(const struct history *history,
					const struct process *process, const struct device *dev);

/* For histories of other things, and for tests. NULL: no memory. */
struct series *series_new(size_t size, int64_t step_ns);
struct series *series_free(struct series *series);
void series_add(struct series *series, const struct point *point);

/* The step that begins with step number n (time / step_ns); NULL: no sample in it. */
const struct point *series_at(const struct series *series, int64_t n);

/*
 * The most between two times. A sample stands for hold_ns after it unless another
 * one follows: then what was last known counts. False: nothing is known of it.
 */
bool series_most(const struct series *series, enum quantity quantity, int64_t from_ns,
		 int64_t to_ns, int64_t hold_ns, uint64_t *ret);
