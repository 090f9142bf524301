#include "model/growth.h"

#include "basic/clock.h"

enum { PARTS = 6 };

static const int64_t least_span_ns = 10 * NS_PER_S, leak_span_ns = 60 * NS_PER_S,
		     leak_span_with_frees_ns = 300 * NS_PER_S, most_span_ns = 600 * NS_PER_S;

/* Smaller growth counts as noise unless it is steady. */
static const uint64_t least_bytes = 64 << 10;
static const double least_share = 0.01;

/* The minimum of each part of the time, and the ends. */
struct floors {
	const struct point *first, *last;
	uint64_t least[PARTS];
	bool known[PARTS];
};

static uint64_t held(const struct point *point)
{
	return point->last[POOL_DRAM] + point->last[POOL_L1];
}

/* The times that count: the last ones. */
static int64_t window_begin(const struct series *series)
{
	const struct point *newest = series_at(series, series->count - 1);

	return newest->time_ns - most_span_ns;
}

/* Finds the oldest and the newest known sample: the very first one, or the last one of a step. */
static void find_ends(const struct series *series, struct floors *floors)
{
	const struct point *point;
	int64_t begin_ns = window_begin(series);

	if (series->first.time_ns >= begin_ns)
		floors->first = &series->first;
	for (size_t i = 0; (point = series_at(series, i)); i++) {
		if (!point->known || point->time_ns < begin_ns)
			continue;
		if (!floors->first)
			floors->first = point;
		floors->last = point;
	}
}

/* Of the first step only the last sample counts: the others may be older than the window. */
static uint64_t floor_of(const struct floors *floors, const struct point *point)
{
	return point == floors->first ? held(point) : point->least;
}

static void find_floors(const struct series *series, struct floors *floors)
{
	int64_t begin = floors->first->time_ns, span = floors->last->time_ns - begin;
	const struct point *point;

	for (size_t i = 0; (point = series_at(series, i)); i++) {
		uint64_t least = floor_of(floors, point);
		int64_t at = MAX(series_step_begin(series, point), begin), part;

		if (!point->known || point->time_ns < begin)
			continue;
		part = MIN((at - begin) * PARTS / span, PARTS - 1);
		if (!floors->known[part] || least < floors->least[part])
			floors->least[part] = least;
		floors->known[part] = true;
	}
}

/* Does it rise in all parts except at most one, and never fall? */
static bool keeps_rising(const struct floors *floors)
{
	unsigned rises = 0, steps = 0;
	uint64_t before = 0;
	bool any = false;

	for (int i = 0; i < PARTS; i++) {
		if (!floors->known[i])
			continue;
		if (any && floors->least[i] < before)
			return false;
		rises += any && floors->least[i] > before;
		steps += any;
		before = floors->least[i];
		any = true;
	}
	return steps >= 3 && rises + 1 >= steps;
}

static bool is_leak(const struct growth *growth)
{
	if (growth->has_frees && growth->frees == 0)
		return growth->span_ns >= leak_span_ns;
	return growth->span_ns >= leak_span_with_frees_ns;
}

static enum trend judge(const struct growth *growth, const struct floors *floors)
{
	uint64_t change = (uint64_t)(growth->bytes < 0 ? -growth->bytes : growth->bytes);
	uint64_t base = MAX(held(floors->first), held(floors->last));
	bool rising = keeps_rising(floors);

	if (change < least_bytes)
		return TREND_STEADY;
	if (growth->bytes > 0 && rising && is_leak(growth))
		return TREND_LEAK;
	if (!rising && (double)change < least_share * (double)base)
		return TREND_STEADY;
	return growth->bytes > 0 ? TREND_GREW : TREND_SHRANK;
}

struct growth growth_judge(const struct series *series)
{
	struct growth growth = { 0 };
	struct floors floors = { 0 };

	if (!series || !series->samples || !series->count)
		return growth;
	find_ends(series, &floors);
	if (!floors.first || !floors.last)
		return growth; /* known only before that time */
	growth.span_ns = floors.last->time_ns - floors.first->time_ns;
	if (growth.span_ns < least_span_ns)
		return growth;
	growth.bytes = (int64_t)(held(floors.last) - held(floors.first));
	growth.has_frees = floors.first->has_frees && floors.last->has_frees &&
			   floors.last->frees >= floors.first->frees;
	growth.frees = growth.has_frees ? floors.last->frees - floors.first->frees : 0;
	find_floors(series, &floors);
	growth.trend = judge(&growth, &floors);
	return growth;
}

const char *trend_name(enum trend trend)
{
	static const char *const names[TREND_N] = {
		[TREND_UNKNOWN] = "unknown", [TREND_STEADY] = "steady", [TREND_GREW] = "grew",
		[TREND_SHRANK] = "shrank",   [TREND_LEAK] = "leak",
	};

	return names[trend];
}
