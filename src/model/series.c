#include "model/series.h"

#include "basic/macros.h"

#include <stdlib.h>

enum { FIRST_ROOM = 10 };

struct series *series_new(size_t most, int64_t step_ns, int64_t span_ns)
{
	struct series *series = calloc(1, sizeof(*series));

	if (!series)
		return NULL;
	series->most = most;
	series->step_ns = step_ns;
	series->span_ns = span_ns;
	return series;
}

struct series *series_free(struct series *series)
{
	if (series)
		free(series->points);
	free(series);
	return NULL;
}

static struct point *point_at(const struct series *series, size_t i)
{
	return &series->points[(series->begin + i) % series->room];
}

const struct point *series_at(const struct series *series, size_t i)
{
	return i < series->count ? point_at(series, i) : NULL;
}

static int64_t step_of(const struct series *series, int64_t time_ns)
{
	return time_ns / series->step_ns;
}

int64_t series_step_begin(const struct series *series, const struct point *point)
{
	return step_of(series, point->time_ns) * series->step_ns;
}

/* Merges a point with the one that follows it in the same step. */
static void merge(struct point *point, const struct point *next)
{
	struct point merged = *next;

	if (point->known && next->known) {
		merged.low = MIN(point->low, next->low);
		merged.high = MAX(point->high, next->high);
		merged.least = MIN(point->least, next->least);
	} else if (point->known) {
		merged = *point;
		merged.ends = true;
	}
	merged.joined = point->joined;
	*point = merged;
}

/* Merges points that are in the same step. */
static void compact(struct series *series)
{
	size_t kept = 0;

	for (size_t i = 0; i < series->count; i++) {
		struct point *before = kept ? point_at(series, kept - 1) : NULL;
		const struct point *point = point_at(series, i);

		if (before && step_of(series, before->time_ns) == step_of(series, point->time_ns))
			merge(before, point);
		else
			*point_at(series, kept++) = *point;
	}
	series->count = kept;
}

static void drop_oldest(struct series *series)
{
	series->begin = (series->begin + 1) % series->room;
	series->count--;
}

/* Drops the points before the span that ends with this time. */
static void forget(struct series *series, int64_t now_ns)
{
	int64_t steps = (series->span_ns + series->step_ns - 1) / series->step_ns;
	int64_t last_gone = step_of(series, now_ns) - steps;

	while (series->count && step_of(series, point_at(series, 0)->time_ns) <= last_gone)
		drop_oldest(series);
}

/* Gives the ring more room. False: no memory. */
static bool grow(struct series *series)
{
	size_t room = MIN(MAX(series->room * 2, FIRST_ROOM), series->most);
	struct point *points = malloc(room * sizeof(*points));

	if (!points)
		return false;
	for (size_t i = 0; i < series->count; i++)
		points[i] = *point_at(series, i);
	free(series->points);
	series->points = points;
	series->room = room;
	series->begin = 0;
	return true;
}

/* The newest point, if this time is in its step. */
static struct point *find_step(const struct series *series, int64_t time_ns)
{
	struct point *newest = series->count ? point_at(series, series->count - 1) : NULL;

	return newest && step_of(series, newest->time_ns) == step_of(series, time_ns) ? newest
										      : NULL;
}

/* Puts a sample into its step. False: no memory. */
static bool store(struct series *series, const struct point *sample)
{
	struct point *point;

	forget(series, sample->time_ns);
	while (!(point = find_step(series, sample->time_ns)) && series->count == series->most) {
		series->step_ns *= 2;
		compact(series);
		forget(series, sample->time_ns);
	}
	if (point) {
		merge(point, sample);
		return true;
	}
	if (series->count == series->room && !grow(series))
		return false;
	*point_at(series, series->count++) = *sample;
	return true;
}

static void note_known(struct series *series, const struct point *point)
{
	if (series->samples++ == 0)
		series->first = *point;
	for (unsigned q = 0; q < SERIES_POOLS; q++)
		series->peak[q] = MAX(series->peak[q], point->last[q]);
	series->ended_ns = point->time_ns;
}

void series_add(struct series *series, const struct point *sample, int64_t hold_ns)
{
	struct point point = *sample;

	point.low = point.high = point.last[POOL_DRAM];
	point.least = point.last[POOL_DRAM] + point.last[POOL_L1];
	point.ends = false;
	point.joined = series->count && point.time_ns <= series->until_ns;
	if (series->most && !store(series, &point))
		return;
	series->until_ns = point.time_ns + hold_ns;
	if (point.known)
		note_known(series, &point);
}

bool series_spans_time(const struct series *series)
{
	return series && series->ended_ns > series->first.time_ns;
}

/* The times for which a point has values. */
struct coverage {
	int64_t begin_ns, end_ns; /* its range: about its step */
	int64_t until_ns;	  /* its last value */
};

static struct coverage coverage_of(const struct series *series, size_t i)
{
	const struct point *point = series_at(series, i), *next = series_at(series, i + 1);
	int64_t begin = series_step_begin(series, point), end = begin + series->step_ns,
		until = end;

	if (next && next->joined && !point->ends)
		until = series_step_begin(series, next);
	else if (!next && !point->ends) {
		until = MAX(series->until_ns, point->time_ns + 1);
		end = MIN(end, until);
	}
	return (struct coverage){ MAX(begin, series->first.time_ns), end, until };
}

bool series_range(const struct series *series, int64_t from_ns, int64_t to_ns,
		  struct metric_range *ret)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < series->count; i++) {
		const struct point *point = series_at(series, i);
		const struct coverage times = coverage_of(series, i);

		if (!point->known)
			continue;
		if (times.begin_ns < to_ns && from_ns < times.end_ns) {
			low = MIN(low, point->low);
			high = MAX(high, point->high);
		} else if (times.end_ns <= from_ns && from_ns < times.until_ns) {
			low = MIN(low, point->last[POOL_DRAM]);
			high = MAX(high, point->last[POOL_DRAM]);
		}
	}
	if (low > high)
		return false;
	*ret = (struct metric_range){ (double)low, (double)high };
	return true;
}
