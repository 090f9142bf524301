#include "metal/program_intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Twice what 50,000 programs a second need in the two seconds that are kept. */
#define INTERVALS_MAX 262144

void program_intervals_done(struct program_intervals *intervals)
{
	free(intervals->list);
	*intervals = (struct program_intervals){ 0 };
}

/* Moves the entries to the start of the array if half of it is free, else doubles the array. */
static int make_room(struct program_intervals *intervals)
{
	struct program_interval *grown;
	size_t room = intervals->room ? intervals->room * 2 : 64;

	if (intervals->first + intervals->count < intervals->room)
		return 0;
	if (intervals->room && intervals->first >= intervals->room / 2) {
		memmove(intervals->list, intervals->list + intervals->first,
			intervals->count * sizeof(*intervals->list));
		intervals->first = 0;
		return 0;
	}
	if (room > INTERVALS_MAX)
		return -ENOMEM;
	grown = reallocarray(intervals->list, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	intervals->list = grown;
	intervals->room = room;
	return 0;
}

int program_intervals_add(struct program_intervals *intervals, int64_t start, int64_t end)
{
	struct program_interval *last;
	int r;

	if (end <= start)
		return 0;
	if (intervals->count) {
		last = &intervals->list[intervals->first + intervals->count - 1];
		if (start <= last->end) {
			last->end = MAX(last->end, end);
			return 0;
		}
	}
	r = make_room(intervals);
	if (r < 0)
		return r;
	intervals->list[intervals->first + intervals->count++] =
		(struct program_interval){ start, end };
	return 0;
}

void program_intervals_expire(struct program_intervals *intervals, int64_t before)
{
	while (intervals->count && intervals->list[intervals->first].end < before) {
		intervals->first++;
		intervals->count--;
	}
	if (!intervals->count)
		intervals->first = 0;
}

/* The position of the first interval that ends after `from`. */
static size_t find(const struct program_intervals *intervals, int64_t from)
{
	size_t low = intervals->first, high = low + intervals->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (intervals->list[middle].end <= from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * A sweep over all lists. `covered` is the time up to which everything is counted. In each step the
 * interval that contains it and ends last extends it; if none contains it, it moves to the start of
 * the next interval.
 */
int64_t program_intervals_union(const struct program_intervals *const *lists, size_t count,
				int64_t from, int64_t to)
{
	size_t at[PROGRAM_UNION_MAX];
	int64_t covered = from, busy = 0;

	count = MIN(count, (size_t)PROGRAM_UNION_MAX);
	for (size_t i = 0; i < count; i++)
		at[i] = find(lists[i], from);
	while (covered < to) {
		int64_t reach = covered, next = to;

		for (size_t i = 0; i < count; i++) {
			const struct program_intervals *one = lists[i];
			size_t end = one->first + one->count;

			while (at[i] < end && one->list[at[i]].end <= covered)
				at[i]++;
			if (at[i] == end)
				continue;
			if (one->list[at[i]].start <= covered)
				reach = MAX(reach, one->list[at[i]].end);
			else
				next = MIN(next, one->list[at[i]].start);
		}
		busy += MIN(reach, to) - covered;
		covered = reach > covered ? reach : next;
	}
	return busy;
}

/*
 * If the rate changed at `at`, the time before or after it is wrong by at most `drift`. `busy` is
 * the busy time before it: what counts is how much it differs from an even distribution.
 */
static double error_at(double at, double length, double busy, double share, double drift)
{
	double excess = busy - share * at, part = MIN(at, length - at);
	double factor = PROGRAM_RATE_CHANGE;

	if (part <= 0)
		return 0;
	if (drift < length / 2)
		factor = MIN(factor, drift / part * length / (length - drift));
	return (excess < 0 ? -excess : excess) * factor;
}

int64_t program_intervals_error(const struct program_intervals *list, int64_t from, int64_t to,
				int64_t busy, int64_t drift)
{
	double length = (double)(to - from), share = (double)busy / length, before = 0, most = 0;
	size_t end = list->first + list->count;

	for (size_t i = find(list, from); i < end && list->list[i].start < to; i++) {
		double start = (double)(MAX(list->list[i].start, from) - from);
		double stop = (double)(MIN(list->list[i].end, to) - from);

		most = MAX(most, error_at(start, length, before, share, (double)drift));
		before += stop - start;
		most = MAX(most, error_at(stop, length, before, share, (double)drift));
	}
	return (int64_t)most;
}

struct program_range program_intervals_range(const struct program_intervals *const *lists,
					     size_t count, int64_t from, int64_t to, int64_t step)
{
	struct program_range range = { 0 };

	for (int64_t start = from; start < to; start += step) {
		int64_t longest = 0, sum = 0;

		for (size_t i = 0; i < count; i++) {
			int64_t ns = program_intervals_union(&lists[i], 1, start, start + step);

			longest = MAX(longest, ns);
			sum += ns;
		}
		range.least += longest;
		range.most += MIN(sum, step);
	}
	return range;
}
