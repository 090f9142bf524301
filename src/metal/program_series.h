/*
 * An amount per step of time, for the last two seconds: ns in which a chip was busy, or programs
 * that ended. In shared memory: one writer, readers that take no lock.
 *
 * A step is one word with its number and its amount, so each is complete; a word with another
 * number counts as 0.
 */
#pragma once

#include "metal/program_intervals.h"

enum {
	PROGRAM_STEP_BITS = 21, /* of the ns of a step: 2.1 ms */
	PROGRAM_STEP_NS = 1 << PROGRAM_STEP_BITS,
	PROGRAM_STEPS = 1024,
	PROGRAM_AMOUNT_BITS = 22,
};

struct program_series {
	uint64_t steps[PROGRAM_STEPS]; /* by number, modulo their count: number and amount */
};

/* Adds the ns between two times to the steps in which they are. */
void program_series_add_time(struct program_series *series, int64_t start, int64_t end);

/* Adds 1 at a time. */
void program_series_add_one(struct program_series *series, int64_t at);

/* The sum between two times, at most PROGRAM_KEPT_NS apart, in proportion at both ends. */
uint64_t program_series_sum(const struct program_series *series, int64_t from, int64_t to);

/*
 * The times that were added, accurate to the length of a step, as intervals. -ENOMEM
 */
MUST_CHECK int program_series_intervals(const struct program_series *series, int64_t from,
					int64_t to, struct program_intervals *ret);
