/* What metrics are written from, and how. */
#pragma once

#include "model/snapshot.h"
#include "model/totals.h"

enum metrics_format {
	METRICS_TEXT,	     /* 0.0.4 */
	METRICS_OPENMETRICS, /* 1.0 */
	METRICS_FORMATS,
};

/* Parts that can be left out. */
enum metric_group {
	GROUP_DEVICE,
	GROUP_THERMAL,
	GROUP_POWER,
	GROUP_CLOCK,
	GROUP_UTILIZATION,
	GROUP_MEMORY,
	GROUP_PCIE,
	GROUP_HOLDERS,
	GROUP_SOURCES,
	GROUP_MACHINE, /* always there; has no name */
	METRIC_GROUPS,
};

/* What one output shows. */
struct metrics_view {
	const char *version;
	const struct snapshot *snapshot;    /* NULL: there are no devices */
	const struct device_counts *totals; /* of each of its devices */
	unsigned expected;		    /* devices that should be there; 0: not known */
	unsigned left_out;		    /* groups, one bit each */
	bool hide_owners; /* no series may name users, command lines, jobs, pods or containers */
};
