#include "render/chart.h"

#include "basic/clock.h"
#include "basic/macros.h"
#include "render/chart_text.h"

#include <math.h>
#include <string.h>

int64_t chart_span(int64_t begin_ns, int64_t now_ns, int64_t most_ns)
{
	static const int64_t seconds[] = { 60,	90,  120,  180,	 240,  300, 450,
					   600, 900, 1200, 1800, 2700, 3600 };
	int64_t age_ns = now_ns - begin_ns;

	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++)
		if (seconds[i] * NS_PER_S >= age_ns)
			return MIN(seconds[i] * NS_PER_S, most_ns);
	return most_ns;
}

void chart_place(struct chart *chart, int64_t now_ns, int64_t span_ns)
{
	int64_t columns = (int64_t)MAX(chart->columns, 1), column_ns = MAX(span_ns / columns, 1);

	chart->to_ns = (now_ns / column_ns + 1) * column_ns;
	chart->from_ns = chart->to_ns - columns * column_ns;
}

static bool read_range(const struct chart *chart, const struct reading_ring *readings,
		       int64_t from_ns, int64_t to_ns, struct metric_range *ret)
{
	if (chart->series)
		return series_range(chart->series, from_ns, to_ns, ret);
	return readings && reading_ring_range(readings, chart->metric, from_ns, to_ns, ret);
}

double chart_read(const struct chart *chart, struct metric_range *values)
{
	const struct reading_ring *readings =
		chart->series ? NULL : history_readings(chart->history, chart->dev);
	size_t count = chart->columns * PLOT_SIDES;
	int64_t span = chart->to_ns - chart->from_ns;
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t from = chart->from_ns + span * (int64_t)i / (int64_t)count;
		int64_t to = chart->from_ns + span * (int64_t)(i + 1) / (int64_t)count +
			     (i + 1 == count);

		if (read_range(chart, readings, from, to, &values[i]))
			most = MAX(most, values[i].high);
		else
			values[i] = (struct metric_range){ NAN, NAN };
	}
	return most;
}

uint64_t chart_choose_top(uint64_t most, uint64_t capacity)
{
	uint64_t least = capacity / 64, top;

	most = MAX(most, 1);
	if (capacity == 0)
		for (capacity = 1; capacity < most && capacity < UINT64_MAX / 2;)
			capacity *= 2;
	/* Halve the scale while the values fit, down to a minimum that is not just a few bytes. */
	for (top = capacity; top / 2 >= MAX(most, least);)
		top /= 2;
	return top;
}

static void put_rule(struct buf *out, size_t columns, bool utf8)
{
	for (size_t i = 0; i < columns; i++)
		buf_puts(out, i == 0 || i + 1 == columns ? " " : utf8 ? "─" : "-");
}

void chart_put_axis(struct buf *out, int64_t span_ns, size_t columns, bool utf8)
{
	static const char right[] = "now";
	CLEANUP_BUF struct buf left = { 0 }, middle = { 0 };
	size_t half;

	chart_put_ago(&left, span_ns);
	chart_put_span(&middle, span_ns / 2);
	if (columns < left.length + middle.length + strlen(right) + 8) {
		buf_fill(out, ' ', columns);
		return;
	}
	/* The middle label starts at the middle column. */
	half = columns / 2;
	buf_puts(out, buf_text(&left));
	put_rule(out, half - left.length, utf8);
	buf_puts(out, buf_text(&middle));
	put_rule(out, columns - half - middle.length - strlen(right), utf8);
	buf_puts(out, right);
}
