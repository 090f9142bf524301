#include "model/reading_ring.h"

#include "basic/clock.h"
#include "basic/macros.h"
#include "basic/sparse.h"

#include <math.h>
#include <string.h>

enum { STEPS = 600, TIERS = 2 };

static const int64_t step_ns[TIERS] = { NS_PER_S, 6 * NS_PER_S };

/*
 * One step: its number since boot, and the values as the upper half of a float, which
 * is exact to half a percent and more than a chart can show. Steps are one after the
 * other, so that memory is touched as time goes by.
 */
struct reading_step {
	uint16_t number; /* its lower half: the same again in the same place takes weeks */
	uint16_t reach;	 /* seconds after it that it may stand for, and one; 0: none yet */
	uint16_t values[METRIC_N];
};

struct reading_tier {
	struct reading_step steps[STEPS];
};

struct reading_ring {
	char bdf[24]; /* of the card, as far as it is known */
	int64_t newest_ns;
	uint16_t longest; /* reach of any step */
	struct reading_tier tiers[TIERS];
};

static uint16_t pack(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	/* To the nearest; what is no number must not be rounded to infinity. */
	return (uint16_t)((isnan(value) ? bits : bits + 0x8000) >> 16);
}

static float unpack(uint16_t half)
{
	uint32_t bits = (uint32_t)half << 16;
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The step of that number; NULL: there was no sample. */
static const struct reading_step *tier_find(const struct reading_tier *tier, int64_t number)
{
	const struct reading_step *step = &tier->steps[(size_t)number % STEPS];

	return step->reach && step->number == (uint16_t)number ? step : NULL;
}

static void tier_add(struct reading_tier *tier, int64_t number, uint16_t reach, const float *values)
{
	struct reading_step *step = &tier->steps[(size_t)number % STEPS];
	bool fresh = !tier_find(tier, number);

	step->number = (uint16_t)number;
	step->reach = reach;
	/* A number is more than none. */
	for (size_t i = 0; i < METRIC_N; i++)
		if (fresh || isnan(unpack(step->values[i])) || values[i] > unpack(step->values[i]))
			step->values[i] = pack(values[i]);
}

/* Another card that was given the same number begins anew. */
static void take_card(struct reading_ring *ring, const struct device *dev)
{
	if (!dev->bdf[0] || strcmp(ring->bdf, dev->bdf) == 0)
		return;
	if (ring->bdf[0])
		memset(ring->tiers, 0, sizeof(ring->tiers));
	memcpy(ring->bdf, dev->bdf, sizeof(ring->bdf));
}

/* A sample that came in its time: the one before stands until it, whatever the pace was then. */
static void tier_stretch(struct reading_tier *tier, int64_t number, uint16_t reach)
{
	struct reading_step *step = &tier->steps[(size_t)number % STEPS];

	if (tier_find(tier, number))
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
	return sparse_new(sizeof(struct reading_ring));
}

struct reading_ring *reading_ring_free(struct reading_ring *ring)
{
	sparse_free(ring, sizeof(*ring));
	return NULL;
}

void reading_ring_add(struct reading_ring *ring, const struct device *dev, int64_t taken_ns,
		      int64_t hold_ns)
{
	uint16_t reach = (uint16_t)(MIN(hold_ns / NS_PER_S, UINT16_MAX - 1) + 1);
	float values[METRIC_N];

	take_card(ring, dev);
	read_metrics(dev, values);
	ring->longest = MAX(ring->longest, reach);
	for (size_t t = 0; t < TIERS; t++) {
		if (taken_ns - ring->newest_ns <= hold_ns)
			tier_stretch(&ring->tiers[t], ring->newest_ns / step_ns[t], reach);
		tier_add(&ring->tiers[t], taken_ns / step_ns[t], reach, values);
	}
	ring->newest_ns = taken_ns;
}

/* The most in steps first … last; false: no sample, or none that was known. */
static bool tier_most(const struct reading_tier *tier, enum metric metric, int64_t first,
		      int64_t last, bool *ret_sampled, double *ret)
{
	bool known = false;

	first = MAX(first, last - STEPS + 1);
	for (int64_t n = first; n <= last; n++) {
		const struct reading_step *step = tier_find(tier, n);
		double value;

		if (!step)
			continue;
		*ret_sampled = true;
		value = (double)unpack(step->values[metric]);
		if (isnan(value))
			continue;
		*ret = known ? MAX(*ret, value) : value;
		known = true;
	}
	return known;
}

/* Steps of so many seconds that a sample may stand for. */
static int64_t steps_of(uint16_t reach, int64_t seconds)
{
	return (reach - 1) / seconds + 1;
}

/* The last sample before a step, if it stands for that too. */
static bool tier_hold(const struct reading_tier *tier, enum metric metric, int64_t before,
		      int64_t seconds, uint16_t longest, double *ret)
{
	int64_t steps = MIN(steps_of(longest, seconds), STEPS - 1);

	for (int64_t n = before - 1; n >= MAX(before - steps, 1); n--) {
		const struct reading_step *step = tier_find(tier, n);

		if (!step)
			continue;
		*ret = (double)unpack(step->values[metric]);
		return before - n <= steps_of(step->reach, seconds) && !isnan(*ret);
	}
	return false;
}

bool reading_ring_most(const struct reading_ring *ring, enum metric metric, int64_t from_ns,
		       int64_t to_ns, double *ret)
{
	bool sampled = false;
	int64_t first, last, step;
	size_t tier;

	if (to_ns <= 0)
		return false;
	/* The fine ring as far back as it reaches. */
	tier = ring->newest_ns - from_ns >= STEPS * step_ns[0];
	step = step_ns[tier];
	first = MAX(from_ns, 0) / step;
	last = MAX((to_ns - 1) / step, first);
	if (tier_most(&ring->tiers[tier], metric, first, last, &sampled, ret))
		return true;
	return !sampled &&
	       tier_hold(&ring->tiers[tier], metric, first, step / NS_PER_S, ring->longest, ret);
}
