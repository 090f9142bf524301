#include "model/reading_ring.h"

#include "basic/clock.h"
#include "basic/macros.h"
#include "basic/sparse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 600, TIERS = 2 };

static const int64_t step_ns[TIERS] = { NS_PER_S, 6 * NS_PER_S };

/*
 * One step: its number since boot, and its values as the upper half of a float, whose precision of
 * half a percent is better than that of a chart. Steps are stored consecutively, so that memory
 * is allocated only as time passes.
 */
struct reading_step {
	uint16_t
		number; /* lower 16 bits: the same value in the same slot recurs only after weeks */
	uint16_t
		reach; /* number of seconds after it that its value holds, plus one; 0: no sample */
	uint16_t low[METRIC_N], high[METRIC_N];
};

struct reading_tier {
	struct sparse steps; /* struct reading_step */
};

struct reading_ring {
	char bdf[24]; /* PCI address of the card, if known */
	int64_t newest_ns;
	uint16_t longest;     /* maximum reach of all steps */
	bool known[METRIC_N]; /* was there ever a value? */
	struct reading_tier tiers[TIERS];
};

static uint16_t pack(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	/* Round to the nearest, but keep NAN, which rounding could turn into infinity. */
	return (uint16_t)((isnan(value) ? bits : bits + 0x8000) >> 16);
}

static float unpack(uint16_t half)
{
	uint32_t bits = (uint32_t)half << 16;
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The step with this number; NULL if it has no sample. */
static const struct reading_step *tier_find(const struct reading_tier *tier, int64_t number)
{
	const struct reading_step *step = sparse_at(&tier->steps, (size_t)number % STEPS);

	return step && step->reach && step->number == (uint16_t)number ? step : NULL;
}

static void tier_add(struct reading_tier *tier, int64_t number, uint16_t reach, const float *values)
{
	bool fresh = !tier_find(tier, number);
	struct reading_step *step = sparse_write(&tier->steps, (size_t)number % STEPS);

	if (!step)
		return;
	step->number = (uint16_t)number;
	step->reach = reach;
	for (size_t i = 0; i < METRIC_N; i++) {
		bool first = fresh || isnan(unpack(step->high[i]));

		/* No comparison with NAN is true. */
		if (first || values[i] < unpack(step->low[i]))
			step->low[i] = pack(values[i]);
		if (first || values[i] > unpack(step->high[i]))
			step->high[i] = pack(values[i]);
	}
}

/* Clears the ring if the device number now belongs to another card. */
static void check_card(struct reading_ring *ring, const struct device *dev)
{
	if (!dev->bdf[0] || strcmp(ring->bdf, dev->bdf) == 0)
		return;
	for (size_t t = 0; t < TIERS && ring->bdf[0]; t++)
		sparse_clear(&ring->tiers[t].steps);
	memset(ring->known, 0, sizeof(ring->known));
	memcpy(ring->bdf, dev->bdf, sizeof(ring->bdf));
}

/*
 * The sample arrived within the reach of the previous one: the previous value holds until then,
 * even if the period has changed.
 */
static void tier_stretch(struct reading_tier *tier, int64_t number, uint16_t reach)
{
	struct reading_step *step;

	if (!tier_find(tier, number))
		return;
	step = sparse_write(&tier->steps, (size_t)number % STEPS);
	step->reach = MAX(step->reach, reach);
}

static void read_metrics(const struct device *dev, float *values)
{
	for (size_t i = 0; i < METRIC_N; i++) {
		struct value value;

		field_get(&device_fields, metric_infos[i].field, dev, &value);
		values[i] =
			value.why == KNOWN ? (float)(value.number / metric_infos[i].scale) : NAN;
	}
}

struct reading_ring *reading_ring_new(void)
{
	struct reading_ring *ring = calloc(1, sizeof(*ring));
	int r = ring ? 0 : -ENOMEM;

	for (size_t t = 0; t < TIERS && r >= 0; t++)
		r = sparse_init(&ring->tiers[t].steps, sizeof(struct reading_step), STEPS);
	return r < 0 ? reading_ring_free(ring) : ring;
}

struct reading_ring *reading_ring_free(struct reading_ring *ring)
{
	for (size_t t = 0; ring && t < TIERS; t++)
		sparse_done(&ring->tiers[t].steps);
	free(ring);
	return NULL;
}

void reading_ring_add(struct reading_ring *ring, const struct device *dev, int64_t taken_ns,
		      int64_t hold_ns)
{
	uint16_t reach = (uint16_t)(MIN(hold_ns / NS_PER_S, UINT16_MAX - 1) + 1);
	float values[METRIC_N];

	check_card(ring, dev);
	read_metrics(dev, values);
	for (size_t i = 0; i < METRIC_N; i++)
		ring->known[i] |= !isnan(values[i]);
	ring->longest = MAX(ring->longest, reach);
	for (size_t t = 0; t < TIERS; t++) {
		if (taken_ns - ring->newest_ns <= hold_ns)
			tier_stretch(&ring->tiers[t], ring->newest_ns / step_ns[t], reach);
		tier_add(&ring->tiers[t], taken_ns / step_ns[t], reach, values);
	}
	ring->newest_ns = taken_ns;
}

bool reading_ring_knows(const struct reading_ring *ring, enum metric metric)
{
	return ring->known[metric];
}

/* The values of a step. False: unknown. */
static bool step_range(const struct reading_step *step, enum metric metric,
		       struct metric_range *ret)
{
	*ret = (struct metric_range){ (double)unpack(step->low[metric]),
				      (double)unpack(step->high[metric]) };
	return !isnan(ret->high);
}

/* The values of the steps first … last. False: no sample, or none with a known value. */
static bool tier_range(const struct reading_tier *tier, enum metric metric, int64_t first,
		       int64_t last, bool *ret_sampled, struct metric_range *ret)
{
	bool known = false;

	first = MAX(first, last - STEPS + 1);
	for (int64_t n = first; n <= last; n++) {
		const struct reading_step *step = tier_find(tier, n);
		struct metric_range range;

		if (!step)
			continue;
		*ret_sampled = true;
		if (!step_range(step, metric, &range))
			continue;
		if (known)
			range = (struct metric_range){ MIN(ret->low, range.low),
						       MAX(ret->high, range.high) };
		*ret = range;
		known = true;
	}
	return known;
}

/* Reach of a sample, in steps of the given number of seconds. */
static int64_t steps_of(uint16_t reach, int64_t seconds)
{
	return (reach - 1) / seconds + 1;
}

/* The last sample before a step, if its value holds until then. */
static bool tier_hold(const struct reading_tier *tier, enum metric metric, int64_t before,
		      int64_t seconds, uint16_t longest, struct metric_range *ret)
{
	int64_t steps = MIN(steps_of(longest, seconds), STEPS - 1);

	for (int64_t n = before - 1; n >= MAX(before - steps, 1); n--) {
		const struct reading_step *step = tier_find(tier, n);

		if (!step)
			continue;
		return step_range(step, metric, ret) &&
		       before - n <= steps_of(step->reach, seconds);
	}
	return false;
}

bool reading_ring_range(const struct reading_ring *ring, enum metric metric, int64_t from_ns,
			int64_t to_ns, struct metric_range *ret)
{
	bool sampled = false;
	int64_t first, last, step;
	size_t tier;

	if (to_ns <= 0)
		return false;
	/* Use the fine ring if it covers the time. */
	tier = ring->newest_ns - from_ns >= STEPS * step_ns[0];
	step = step_ns[tier];
	first = MAX(from_ns, 0) / step;
	last = MAX((to_ns - 1) / step, first);
	if (tier_range(&ring->tiers[tier], metric, first, last, &sampled, ret))
		return true;
	return !sampled &&
	       tier_hold(&ring->tiers[tier], metric, first, step / NS_PER_S, ring->longest, ret);
}
