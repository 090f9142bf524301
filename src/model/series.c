#include "model/series.h"

#include "basic/macros.h"

#include <stdlib.h>

struct series *series_new(size_t size, int64_t step_ns)
{
	struct series *series = calloc(1, sizeof(*series));

	if (!series)
		return NULL;
	series->size = size;
	series->step_ns = step_ns;
	return sparse_init(&series->points, sizeof(struct point), size) < 0 ? series_free(series)
									    : series;
}

struct series *series_free(struct series *series)
{
	if (series)
		sparse_done(&series->points);
	free(series);
	return NULL;
}

void series_add(struct series *series, const struct point *point)
{
	int64_t n = point->time_ns / series->step_ns;
	struct point *at = sparse_write(&series->points, (size_t)n % series->size);
	struct point next = *point;

	if (!at)
		return;
	for (unsigned q = 0; q < SERIES_POOLS; q++) {
		next.most[q] = point->last[q];
		if (series_at(series, n) && at->known)
			next.most[q] = MAX(at->most[q], next.most[q]);
		if (point->known)
			series->peak[q] = MAX(series->peak[q], point->last[q]);
	}
	*at = next;
	if (!point->known)
		return;
	if (series->samples++ == 0) {
		series->begun_ns = point->time_ns;
		series->first = *point;
	}
	series->ended_ns = point->time_ns;
}

bool series_spans_time(const struct series *series)
{
	return series && series->ended_ns > series->begun_ns;
}

const struct point *series_at(const struct series *series, int64_t n)
{
	const struct point *point = sparse_at(&series->points, (size_t)n % series->size);

	return point && point->time_ns && point->time_ns / series->step_ns == n ? point : NULL;
}

/* The last sample before a time, at most hold_ns earlier. */
static const struct point *last_before(const struct series *series, int64_t when_ns,
				       int64_t hold_ns)
{
	int64_t first = MAX(when_ns - hold_ns, 0) / series->step_ns;

	first = MAX(first, when_ns / series->step_ns - (int64_t)series->size + 1);
	for (int64_t n = when_ns / series->step_ns; n >= first; n--) {
		const struct point *point = series_at(series, n);

		if (point && point->time_ns < when_ns)
			return point->time_ns >= when_ns - hold_ns ? point : NULL;
	}
	return NULL;
}

bool series_most(const struct series *series, enum pool pool, int64_t from_ns, int64_t to_ns,
		 int64_t hold_ns, uint64_t *ret)
{
	const struct point *before;
	uint64_t most = 0;
	bool known = false, sampled = false;

	for (int64_t n = from_ns / series->step_ns; n <= to_ns / series->step_ns; n++) {
		const struct point *point = series_at(series, n);

		if (!point || point->time_ns < from_ns || point->time_ns >= to_ns)
			continue;
		sampled = true;
		known |= point->known;
		if (point->known)
			most = MAX(most, point->most[pool]);
	}
	before = sampled ? NULL : last_before(series, from_ns, hold_ns);
	if (before && before->known) {
		most = before->last[pool];
		known = true;
	}
	if (known)
		*ret = most;
	return known;
}
