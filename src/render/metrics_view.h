/* What metrics are written from, and how. */
#pragma once

#include "model/owner_list.h"
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
	GROUP_OWNERS,
	GROUP_PROCESSES,
	GROUP_DETAILS,
	GROUP_SOURCES,
	GROUP_MACHINE, /* always there; has no name */
	METRIC_GROUPS,
};

/* Groups that are left out unless they are requested: they have many series that few users need. */
enum { GROUPS_ON_REQUEST = 1 << GROUP_PROCESSES | 1 << GROUP_DETAILS };

/* Owners beyond this number (unless another one is given), and processes beyond the second, are
 * left out. */
enum { METRICS_OWNERS = 64, METRICS_PROCESSES = 256 };

/* What one output shows. */
struct metrics_view {
	const char *version;
	const struct snapshot *snapshot;
	const struct device_counts *totals; /* of each of its devices */
	unsigned expected;		    /* devices that should be there; 0: not known */
	unsigned left_out;		    /* groups, one bit each */
	bool hide_owners; /* no series may name users, command lines, jobs, pods or containers */
	const struct owner_list *owners; /* NULL: there are none */
	uint64_t dropped;		 /* series left out so far, over all samples */
};
