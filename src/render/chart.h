/*
 * Converts the readings of a device, or the memory of a process, into the values of a plot over
 * time. Missing samples stay gaps.
 */
#pragma once

#include "basic/buf.h"
#include "model/history.h"
#include "render/plot.h"

struct chart {
	const struct series *series; /* the DRAM of a process in bytes, or: */
	const struct history *history;
	const struct device *dev;
	enum metric metric;
	int64_t from_ns, to_ns; /* time at the left and at the right edge */
	size_t columns;
};

/*
 * The time that charts show: as long as there are samples since the first one at begin_ns, from a
 * minute up to the given time. It grows in steps, since every change moves all columns; at least
 * two thirds of it have samples after the first minute.
 */
int64_t chart_span(int64_t begin_ns, int64_t now_ns, int64_t most_ns);

/*
 * Sets the time at both edges, with columns set before: about the given span, of which the last
 * column contains this moment. Columns begin at multiples of their duration, so each of them keeps
 * its values, and a chart moves by whole columns, when one is complete.
 */
void chart_place(struct chart *chart, int64_t now_ns, int64_t span_ns);

/*
 * Fills PLOT_SIDES values for each column (NAN: a gap) and returns their maximum, in the unit of
 * the chart. The newest sample is included in the last value.
 */
double chart_read(const struct chart *chart, struct metric_range *values);

/*
 * A value for the upper edge of the chart: the capacity, or a half, a quarter and so on of it. If
 * the capacity is unknown (0): a power of two.
 */
uint64_t chart_choose_top(uint64_t most, uint64_t capacity);

/* "10 min ago ───── 5 min ───── now", as wide as the given number of columns. */
void chart_put_axis(struct buf *out, int64_t span_ns, size_t columns, bool utf8);
