#include "tui/track.h"

#include "basic/clock.h"
#include "basic/sparse.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MB 1048576.0
#define GB (1024 * MB)

const char *const metric_names[METRIC_N] = {
	[METRIC_DRAM] = "dram",
	[METRIC_POWER] = "power",
	[METRIC_TEMPERATURE] = "temperature",
	[METRIC_AICLK] = "aiclk",
	[METRIC_PCIE_IN] = "pcie_in",
	[METRIC_PCIE_OUT] = "pcie_out",
	[METRIC_L1] = "l1",
	[METRIC_COMPUTE] = "compute",
};

/* clang-format off */
const struct metric_info metric_infos[METRIC_N] = {
	[METRIC_DRAM] = { "DRAM", "", DEV_DRAM_USED, DEV_DRAM_TOTAL, GB, 3, 1 },
	[METRIC_POWER] = { "Power", "W", DEV_POWER, DEV_POWER_LIMIT, 1, 0, 50 },
	[METRIC_TEMPERATURE] = { "Temperature", "C", DEV_TEMPERATURE,
		DEV_TEMPERATURE_LIMIT, 1, 0, 25 },
	[METRIC_AICLK] = { "AICLK", "MHz", DEV_AICLK, DEV_AICLK, 1e6, 0, 250 },
	[METRIC_PCIE_IN] = { "PCIe in", "/s", DEV_PCIE_RX, DEV_PCIE_RX, MB, 2, 100 },
	[METRIC_PCIE_OUT] = { "PCIe out", "/s", DEV_PCIE_TX, DEV_PCIE_TX, MB, 2, 100 },
	[METRIC_L1] = { "L1", "", DEV_L1_USED, DEV_L1_TOTAL, MB, 2, 10 },
	[METRIC_COMPUTE] = { "Compute", "%", DEV_COMPUTE, DEV_COMPUTE, 0.01, 0, 100 },
};
/* clang-format on */

enum { STEPS = 600, TIERS = 2 };

static const int64_t step_ns[TIERS] = { NS_PER_S, 6 * NS_PER_S };

/*
 * One step: its number since boot, and the values as the upper half of a float, which
 * is exact to half a percent and more than a chart can show. Steps are one after the
 * other, so that memory is touched as time goes by.
 */
struct step {
	uint16_t number; /* its lower half: the same again in the same place takes weeks */
	uint16_t reach;	 /* seconds after it that it may stand for, and one; 0: none yet */
	uint16_t values[METRIC_N];
};

struct ring {
	struct step steps[STEPS];
};

struct track {
	uint32_t index;
	bool remote;
	char bdf[24]; /* of the card, as far as it is known */
	int64_t newest_ns;
	uint16_t longest; /* reach of any step */
	struct ring rings[TIERS];
};

struct tracks {
	struct track **items;
	size_t count;
};

int tracks_new(struct tracks **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

struct tracks *tracks_free(struct tracks *tracks)
{
	if (!tracks)
		return NULL;
	for (size_t i = 0; i < tracks->count; i++)
		sparse_free(tracks->items[i], sizeof(*tracks->items[i]));
	free(tracks->items);
	free(tracks);
	return NULL;
}

static struct track *find_track(const struct tracks *tracks, const struct device *dev)
{
	for (size_t i = 0; i < tracks->count; i++)
		if (tracks->items[i]->index == dev->index &&
		    tracks->items[i]->remote == dev->remote)
			return tracks->items[i];
	return NULL;
}

static struct track *make_track(struct tracks *tracks, const struct device *dev)
{
	struct track **grown =
		reallocarray(tracks->items, tracks->count + 1, sizeof(tracks->items[0]));
	struct track *track;

	if (!grown)
		return NULL;
	tracks->items = grown;
	track = sparse_new(sizeof(*track));
	if (!track)
		return NULL;
	track->index = dev->index;
	track->remote = dev->remote;
	tracks->items[tracks->count++] = track;
	return track;
}

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
static const struct step *ring_find(const struct ring *ring, int64_t number)
{
	const struct step *step = &ring->steps[(size_t)number % STEPS];

	return step->reach && step->number == (uint16_t)number ? step : NULL;
}

static void ring_add(struct ring *ring, int64_t number, uint16_t reach, const float *values)
{
	struct step *step = &ring->steps[(size_t)number % STEPS];
	bool fresh = !ring_find(ring, number);

	step->number = (uint16_t)number;
	step->reach = reach;
	/* A number is more than none. */
	for (size_t i = 0; i < METRIC_N; i++)
		if (fresh || isnan(unpack(step->values[i])) || values[i] > unpack(step->values[i]))
			step->values[i] = pack(values[i]);
}

/* Another card that was given the same number begins anew. */
static void track_take(struct track *track, const struct device *dev)
{
	if (!dev->bdf[0] || strcmp(track->bdf, dev->bdf) == 0)
		return;
	if (track->bdf[0])
		memset(track->rings, 0, sizeof(track->rings));
	memcpy(track->bdf, dev->bdf, sizeof(track->bdf));
}

/* A sample that came in its time: the one before stands until it, whatever the pace was then. */
static void ring_stretch(struct ring *ring, int64_t number, uint16_t reach)
{
	struct step *step = &ring->steps[(size_t)number % STEPS];

	if (ring_find(ring, number))
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

void tracks_add(struct tracks *tracks, const struct snapshot *snapshot, int64_t hold_ns)
{
	uint16_t reach = (uint16_t)(MIN(hold_ns / NS_PER_S, UINT16_MAX - 1) + 1);

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		struct track *track = find_track(tracks, dev);
		float values[METRIC_N];

		if (!track)
			track = make_track(tracks, dev);
		if (!track)
			return;
		track_take(track, dev);
		read_metrics(dev, values);
		track->longest = MAX(track->longest, reach);
		for (size_t t = 0; t < TIERS; t++) {
			if (snapshot->taken_ns - track->newest_ns <= hold_ns)
				ring_stretch(&track->rings[t], track->newest_ns / step_ns[t],
					     reach);
			ring_add(&track->rings[t], snapshot->taken_ns / step_ns[t], reach, values);
		}
		track->newest_ns = snapshot->taken_ns;
	}
}

/* The most in steps first … last; false: no sample, or none that was known. */
static bool ring_most(const struct ring *ring, enum metric metric, int64_t first, int64_t last,
		      bool *ret_sampled, double *ret)
{
	bool known = false;

	first = MAX(first, last - STEPS + 1);
	for (int64_t n = first; n <= last; n++) {
		const struct step *step = ring_find(ring, n);
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
static bool ring_hold(const struct ring *ring, enum metric metric, int64_t before, int64_t seconds,
		      uint16_t longest, double *ret)
{
	int64_t steps = MIN(steps_of(longest, seconds), STEPS - 1);

	for (int64_t n = before - 1; n >= MAX(before - steps, 1); n--) {
		const struct step *step = ring_find(ring, n);

		if (!step)
			continue;
		*ret = (double)unpack(step->values[metric]);
		return before - n <= steps_of(step->reach, seconds) && !isnan(*ret);
	}
	return false;
}

bool tracks_most(const struct tracks *tracks, const struct device *dev, enum metric metric,
		 int64_t from_ns, int64_t to_ns, double *ret)
{
	const struct track *track = find_track(tracks, dev);
	bool sampled = false;
	int64_t first, last, step;
	size_t tier;

	if (!track || to_ns <= 0)
		return false;
	/* The fine ring as far back as it reaches. */
	tier = track->newest_ns - from_ns >= STEPS * step_ns[0];
	step = step_ns[tier];
	first = MAX(from_ns, 0) / step;
	last = MAX((to_ns - 1) / step, first);
	if (ring_most(&track->rings[tier], metric, first, last, &sampled, ret))
		return true;
	return !sampled &&
	       ring_hold(&track->rings[tier], metric, first, step / NS_PER_S, track->longest, ret);
}
