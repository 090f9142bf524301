/*
 * A series as a chart of braille dots, or of ASCII where that is all there is. Its
 * axis is time: a column stands for so many seconds, and what is not known of them
 * is left empty. What is known has at least one dot, also if it is 0.
 */
#pragma once

#include "basic/buf.h"
#include "model/history.h"

struct chart {
	const struct series *series;
	enum quantity quantity;
	int64_t now_ns;	 /* at the right edge */
	int64_t span_ns; /* from there to the left edge */
	int64_t hold_ns; /* how long a sample stands if no other follows */
	uint64_t top;	 /* the value of the upper edge */
	size_t columns, rows;
	bool utf8;
};

/*
 * A top for what the chart would show: the whole, or the half, or a quarter of the
 * capacity and so on. Capacity 0: not known, then a power of two.
 */
uint64_t chart_choose_top(const struct chart *chart, uint64_t capacity);

/* One line of it, 0 the uppermost: so many columns, no newline. */
void chart_put_row(struct buf *out, const struct chart *chart, size_t row);

/* "10 min ago ───── 5 min ───── now", so many columns. */
void chart_put_axis(struct buf *out, const struct chart *chart);
