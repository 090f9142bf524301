/*
 * One hour of each device's readings, for the charts.
 *
 * A ring over time, not over samples: the last ten minutes in steps of a second, the
 * hour in steps of six, of which the coarse ones keep the peaks. A step without a
 * sample is a gap. The memory is fixed: 24 KB per device, touched as time goes by.
 * (model/history has the memory of devices and processes; this has what is sampled
 * of devices alone, as floats, and for longer.)
 */
#pragma once

#include "basic/macros.h"
#include "model/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

enum metric {
	METRIC_DRAM,
	METRIC_POWER,
	METRIC_TEMPERATURE,
	METRIC_AICLK,
	METRIC_PCIE_IN,
	METRIC_PCIE_OUT,
	METRIC_L1,
	METRIC_COMPUTE,
	METRIC_N,
};

struct metric_info {
	const char *title, *unit;	/* of bytes, what follows them: "/s" */
	enum device_field field, limit; /* limit: the top of the chart; equal if there is none */
	double scale;			/* units of the model in one unit of the track */
	unsigned bytes; /* 2: MB, 3: GB, as format_unit_size() has it; 0: no bytes */
	double step;	/* tops are multiples of it where there is no limit */
};

extern const struct metric_info metric_infos[METRIC_N];

/* In the settings. */
extern const char *const metric_names[METRIC_N];

struct tracks;

MUST_CHECK int tracks_new(struct tracks **ret);
struct tracks *tracks_free(struct tracks *tracks);

/* Adds a sample, which stands for so long if no other follows. Out of memory a new device
 * has no track. */
void tracks_add(struct tracks *tracks, const struct snapshot *snapshot, int64_t hold_ns);

/* The most of a metric between two times (CLOCK_MONOTONIC). False: a gap. */
bool tracks_most(const struct tracks *tracks, const struct device *dev, enum metric metric,
		 int64_t from_ns, int64_t to_ns, double *ret);
