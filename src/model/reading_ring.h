/*
 * The readings of one device over the last hour, for charts.
 *
 * Rings are indexed by time, not by samples: the last ten minutes in steps of a second, the
 * hour in steps of six, each step with its maximum. A step without a sample is a gap. The
 * size is fixed, 24 KB, and memory is touched as time goes by.
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
 * Adds a sample, which stands for hold_ns if no other one follows. If the PCI address of the
 * device has changed, it is another card, and the ring begins anew.
 */
void reading_ring_add(struct reading_ring *ring, const struct device *dev, int64_t taken_ns,
		      int64_t hold_ns);

/* The maximum between two times (CLOCK_MONOTONIC), in units of the chart. False: a gap. */
bool reading_ring_most(const struct reading_ring *ring, enum metric metric, int64_t from_ns,
		       int64_t to_ns, double *ret);
