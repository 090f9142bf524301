/*
 * The times in which programs ran on a chip, for the last seconds: sorted, disjoint intervals in ns
 * of CLOCK_MONOTONIC.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program_interval {
	int64_t start, end;
};

/* A queue in an array: the oldest entry is at `first`. */
struct program_intervals {
	struct program_interval *list;
	size_t first, count, room; /* room: size of the array */
};

void program_intervals_done(struct program_intervals *intervals);

/*
 * Adds an interval that starts no earlier than the last one; if they overlap or touch, they are
 * merged. -ENOMEM: not added; also if there would be more than 262144.
 */
MUST_CHECK int program_intervals_add(struct program_intervals *intervals, int64_t start,
				     int64_t end);

/* Drops intervals that ended before. */
void program_intervals_expire(struct program_intervals *intervals, int64_t before);

/* Maximum number of lists in a union: processes that use one chip at the same time. */
enum { PROGRAM_UNION_MAX = 64 };

/*
 * The time between `from` and `to` that at least one list covers. Lists beyond PROGRAM_UNION_MAX
 * are ignored.
 */
int64_t program_intervals_union(const struct program_intervals *const *lists, size_t count,
				int64_t from, int64_t to);

/*
 * How far the busy time between `from` and `to` can differ from `busy`, which is that of a clock,
 * if the rate of this clock changed at one time in between: by at most PROGRAM_RATE_CHANGE, and so
 * that it drifted by at most `drift`. Evenly distributed programs keep their share at any rate.
 */
int64_t program_intervals_error(const struct program_intervals *list, int64_t from, int64_t to,
				int64_t busy, int64_t drift);

/* As a part of the time: a chip's clock is at least 0.4 times as fast as before. */
#define PROGRAM_RATE_CHANGE 1.5

struct program_range {
	int64_t least, most;
};

/*
 * Bounds of the same time, if of each list only is known how much of each step it covers. `from`
 * and `to` are the limits of steps.
 */
struct program_range program_intervals_range(const struct program_intervals *const *lists,
					     size_t count, int64_t from, int64_t to, int64_t step);
