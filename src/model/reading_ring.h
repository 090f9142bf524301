/*
 * The readings of one device over the last hour, for charts.
 *
 * The rings are indexed by time, not by samples: the last ten minutes in steps of one second, the
 * last hour in steps of six, each step with its lowest and its highest value. A step without a
 * sample is a gap. The size is limited to 45 KB, which is allocated only as time passes.
 */
#pragma once

#include "model/metric.h"

#include <stdbool.h>
#include <stdint.h>

#define READING_SPAN_NS INT64_C(3600000000000)

struct reading_ring;

struct reading_ring *reading_ring_new(void); /* NULL: out of memory */
struct reading_ring *reading_ring_free(struct reading_ring *ring);

/*
 * Adds a sample, whose value holds for hold_ns unless another one follows earlier. If the PCI
 * address of the device has changed, it is another card, and the ring is cleared.
 */
void reading_ring_add(struct reading_ring *ring, const struct device *dev, int64_t taken_ns,
		      int64_t hold_ns);

/* Has the card ever had a value of it? */
bool reading_ring_knows(const struct reading_ring *ring, enum metric metric);

/* The values between two times (CLOCK_MONOTONIC). False: a gap. */
bool reading_ring_range(const struct reading_ring *ring, enum metric metric, int64_t from_ns,
			int64_t to_ns, struct metric_range *ret);
