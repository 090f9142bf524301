#include "render/chart.h"

#include "basic/clock.h"
#include "basic/text.h"

#include <stdio.h>
#include <string.h>

enum {
	DOTS = 4, /* in a cell, one above the other */
	SIDES = 2,
};

/* What one column of dots shows. False: a gap. */
static bool dot_value(const struct chart *chart, size_t dot, uint64_t *ret)
{
	size_t dots = chart->columns * SIDES;
	int64_t begin = chart->now_ns - chart->span_ns;
	int64_t from = begin + chart->span_ns * (int64_t)dot / (int64_t)dots;
	/* The newest sample is part of the last column. */
	int64_t to =
		begin + chart->span_ns * (int64_t)(dot + 1) / (int64_t)dots + (dot + 1 == dots);

	if (!chart->series || to <= 0)
		return false;
	return series_most(chart->series, chart->quantity, MAX(from, 0), to, chart->hold_ns, ret);
}

/* Dots from the bottom of the chart; 0: a gap. */
static size_t dot_height(const struct chart *chart, size_t dot)
{
	size_t most = chart->rows * DOTS;
	uint64_t value;

	if (!dot_value(chart, dot, &value))
		return 0;
	if (chart->top == 0 || value >= chart->top)
		return chart->top == 0 ? 1 : most;
	return MAX((size_t)((double)value / (double)chart->top * (double)most + 0.5), 1);
}

uint64_t chart_choose_top(const struct chart *chart, uint64_t capacity)
{
	uint64_t most = 1, least, top;

	for (size_t dot = 0; dot < chart->columns * SIDES; dot++) {
		uint64_t value;

		if (dot_value(chart, dot, &value))
			most = MAX(most, value);
	}
	least = capacity / 64;
	if (capacity == 0)
		for (capacity = 1; capacity < most && capacity < UINT64_MAX / 2;)
			capacity *= 2;
	/* Nothing at all is no reason for a scale of bytes. */
	for (top = capacity; top / 2 >= MAX(most, least);)
		top /= 2;
	return top;
}

/* Braille patterns count their dots column by column, the lowest apart: 7 and 8. */
static void put_braille(struct buf *out, const size_t filled[SIDES])
{
	static const uint8_t bits[SIDES][DOTS] = { { 0x40, 0x04, 0x02, 0x01 },
						   { 0x80, 0x20, 0x10, 0x08 } };
	uint32_t pattern = 0;

	for (size_t side = 0; side < SIDES; side++)
		for (size_t i = 0; i < filled[side]; i++)
			pattern |= bits[side][i];
	if (pattern)
		utf8_encode(out, 0x2800 + pattern);
	else
		buf_putc(out, ' ');
}

void chart_put_row(struct buf *out, const struct chart *chart, size_t row)
{
	static const char ascii[] = " .:|#";
	size_t base = (chart->rows - 1 - row) * DOTS;

	for (size_t column = 0; column < chart->columns; column++) {
		size_t filled[SIDES];

		for (size_t side = 0; side < SIDES; side++) {
			size_t height = dot_height(chart, column * SIDES + side);

			filled[side] = height > base ? MIN(height - base, DOTS) : 0;
		}
		if (chart->utf8)
			put_braille(out, filled);
		else
			buf_putc(out, ascii[MAX(filled[0], filled[1])]);
	}
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

void chart_put_axis(struct buf *out, const struct chart *chart)
{
	static const char right[] = "now";
	char left[32], middle[32];
	size_t words, half;

	name_time(left, sizeof(left), chart->span_ns, " ago");
	name_time(middle, sizeof(middle), chart->span_ns / 2, "");
	words = strlen(left) + strlen(middle) + strlen(right);
	if (chart->columns < words + 8) {
		buf_fill(out, ' ', chart->columns);
		return;
	}
	/* The middle's first letter stands in the middle. */
	half = chart->columns / 2;
	buf_puts(out, left);
	put_rule(out, half - strlen(left), chart->utf8);
	buf_puts(out, middle);
	put_rule(out, chart->columns - half - strlen(middle) - strlen(right), chart->utf8);
	buf_puts(out, right);
}
