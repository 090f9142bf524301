/*
 * A snapshot as metrics, in the two text formats that Prometheus and its relatives read. One table
 * describes every metric by the line of the model that it shows, from which it has its unit, help
 * and kind. A value that is unknown has no series.
 */
#pragma once

#include "basic/buf.h"
#include "model/snapshot.h"
#include "model/totals.h"
#include "model/want.h"

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

extern const char *const metric_group_names[GROUP_MACHINE];

/* What one output shows. */
struct metrics_view {
	const char *version;
	const struct snapshot *snapshot;    /* NULL: there are no devices */
	const struct device_counts *totals; /* of each of its devices */
	unsigned expected;		    /* devices that should be there; 0: not known */
	unsigned left_out;		    /* groups, one bit each */
};

const char *metrics_content_type(enum metrics_format format);

void metrics_wants(struct want *want);
void metrics_render(struct buf *out, const struct metrics_view *view, enum metrics_format format);

/* Lists all metrics, a line each: name, type, labels, group and help, separated by tabs. */
void metrics_list(struct buf *out);
