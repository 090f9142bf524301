/* The readings of a device as the values of a plot: the axis is time, gaps stay gaps. */
#pragma once

#include "basic/buf.h"
#include "model/history.h"
#include "render/plot.h"

struct chart {
	const struct history *history;
	const struct device *dev;
	enum metric metric;
	int64_t from_ns, to_ns; /* at the left and at the right edge */
	size_t columns;
};

/*
 * Fills PLOT_SIDES values for each column, NAN for a gap, and returns the maximum, both in
 * units of the chart. The newest sample is part of the last value.
 */
double chart_read(const struct chart *chart, double *values);

/*
 * An upper edge for so many bytes: the capacity, or a half, a quarter and so on of it.
 * Capacity 0: not known, then a power of two.
 */
uint64_t chart_choose_top(uint64_t most, uint64_t capacity);

/* "10 min ago ───── 5 min ───── now", so many columns. */
void chart_put_axis(struct buf *out, int64_t span_ns, size_t columns, bool utf8);
