#include "render/chart.h"

#include "basic/clock.h"
#include "basic/macros.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double chart_read(const struct chart *chart, double *values)
{
	size_t count = chart->columns * PLOT_SIDES;
	int64_t span = chart->to_ns - chart->from_ns;
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t from = chart->from_ns + span * (int64_t)i / (int64_t)count;
		int64_t to = chart->from_ns + span * (int64_t)(i + 1) / (int64_t)count +
			     (i + 1 == count);

		if (history_most(chart->history, chart->dev, chart->metric, from, to, &values[i]))
			most = MAX(most, values[i]);
		else
			values[i] = NAN;
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
	/* Small amounts are no reason for a scale of bytes. */
	for (top = capacity; top / 2 >= MAX(most, least);)
		top /= 2;
	return top;
}

static void put_rule(struct buf *out, size_t columns, bool utf8)
{
	for (size_t i = 0; i < columns; i++)
		buf_puts(out, i == 0 || i + 1 == columns ? " " : utf8 ? "─" : "-");
}

/* "10 min", "90 s" */
static void name_time(char *text, size_t size, int64_t ns, const char *after)
{
	long long seconds = ns / NS_PER_S;

	if (seconds % 60 == 0)
		snprintf(text, size, "%lld min%s", seconds / 60, after);
	else
		snprintf(text, size, "%lld s%s", seconds, after);
}

void chart_put_axis(struct buf *out, int64_t span_ns, size_t columns, bool utf8)
{
	static const char right[] = "now";
	char left[32], middle[32];
	size_t words, half;

	name_time(left, sizeof(left), span_ns, " ago");
	name_time(middle, sizeof(middle), span_ns / 2, "");
	words = strlen(left) + strlen(middle) + strlen(right);
	if (columns < words + 8) {
		buf_fill(out, ' ', columns);
		return;
	}
	/* The middle's first letter stands in the middle. */
	half = columns / 2;
	buf_puts(out, left);
	put_rule(out, half - strlen(left), utf8);
	buf_puts(out, middle);
	put_rule(out, columns - half - strlen(middle) - strlen(right), utf8);
	buf_puts(out, right);
}
