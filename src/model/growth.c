#include "model/growth.h"

#include "basic/clock.h"

enum { PARTS = 6 };

static const int64_t least_span_ns = 10 * NS_PER_S, leak_span_ns = 60 * NS_PER_S,
		     leak_span_with_frees_ns = 300 * NS_PER_S;

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

/*
 * Finds the oldest and the newest known point. A step of the ring keeps only its last sample, so
 * the very first sample is used as long as the ring covers its time.
 */
static void find_ends(const struct series *series, struct floors *floors)
{
	int64_t last = series->ended_ns / series->step_ns;
	int64_t oldest = MAX(last - (int64_t)series->size + 1, 0);

	if (series->begun_ns / series->step_ns >= oldest)
		floors->first = &series->first;
	for (int64_t n = oldest; n <= last; n++) {
		const struct point *point = series_at(series, n);

		if (!point || !point->known)
			continue;
		if (!floors->first)
			floors->first = point;
		floors->last = point;
	}
}

static void find_floors(const struct series *series, struct floors *floors)
{
	int64_t begin = floors->first->time_ns, span = floors->last->time_ns - begin;

	for (int64_t n = begin / series->step_ns; n <= series->ended_ns / series->step_ns; n++) {
		const struct point *point = series_at(series, n);
		int64_t part;

		if (!point || !point->known)
			continue;
		part = MIN((point->time_ns - begin) * PARTS / span, PARTS - 1);
		if (!floors->known[part] || held(point) < floors->least[part])
			floors->least[part] = held(point);
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

	if (!series || series->samples == 0)
		return growth;
	find_ends(series, &floors);
	/*
	 * A step keeps its last sample only: a known value may have been replaced by an unknown
	 * one.
	 */
	if (!floors.first || !floors.last)
		return growth;
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
