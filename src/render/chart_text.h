/* Figures of a chart as text, and the upper edge of its scale. */
#pragma once

#include "basic/buf.h"
#include "model/metric.h"

/* Metrics are in units of 1024; format_set_units() may have set others: that factor. */
double chart_unit_factor(const struct metric_info *info);

/*
 * The number at the upper edge, in those units, for the highest value of the chart: the limit,
 * unless a value exceeds it.
 */
double chart_top(const struct device *dev, const struct metric_info *info, double most);

/* "10 min", "90 s" */
void chart_put_span(struct buf *out, int64_t ns);

/* "10 min ago", "90 s ago", "now" */
void chart_put_ago(struct buf *out, int64_t ns);

/* "12 GB", "100 W": a figure of the scale. */
void chart_put_figure(struct buf *out, const struct metric_info *info, double number, bool utf8);

/* "11.5 GB of 12.0 GB", "78 W", "N/A (no permission)" */
void chart_put_reading(struct buf *out, const struct device *dev, const struct metric_info *info,
		       bool utf8);

/* The same without limit and reason: "11.5 GB", "78 W", "N/A" */
void chart_put_brief(struct buf *out, const struct device *dev, const struct metric_info *info,
		     bool utf8);
