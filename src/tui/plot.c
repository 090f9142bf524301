#include "tui/plot.h"

#include "basic/macros.h"
#include "basic/text.h"

#include <math.h>

/* Dots of a column, counted from the bottom of the chart; 0: a gap. */
static size_t height_of(const struct plot *plot, double value)
{
	size_t most = plot->rows * PLOT_DOTS;
	double dots;

	if (isnan(value))
		return 0;
	dots = plot->top > 0 ? value / plot->top * (double)most : 0;
	return (size_t)MIN(MAX(dots + 0.5, 1), (double)most);
}

/* Of these dots, how many fall into a row. */
static size_t dots_in(size_t height, size_t base)
{
	return height > base ? MIN(height - base, PLOT_DOTS) : 0;
}

/* Braille counts its dots down each column, the fourth ones apart. */
static void put_braille(struct buf *out, size_t left, size_t right)
{
	static const unsigned bits[PLOT_SIDES][PLOT_DOTS] = { { 0x40, 0x04, 0x02, 0x01 },
							      { 0x80, 0x20, 0x10, 0x08 } };
	uint32_t pattern = 0;

	for (size_t i = 0; i < left; i++)
		pattern |= bits[0][i];
	for (size_t i = 0; i < right; i++)
		pattern |= bits[1][i];
	if (pattern)
		utf8_encode(out, 0x2800 + pattern);
	else
		buf_putc(out, ' ');
}

void plot_row(struct buf *out, const struct plot *plot, size_t row)
{
	static const char steps[] = " .:|#";
	size_t base = (plot->rows - 1 - row) * PLOT_DOTS;

	for (size_t i = 0; i < plot->columns; i++) {
		size_t left = dots_in(height_of(plot, plot->values[2 * i]), base);
		size_t right = dots_in(height_of(plot, plot->values[2 * i + 1]), base);

		if (plot->utf8)
			put_braille(out, left, right);
		else
			buf_putc(out, steps[MAX(left, right)]);
	}
}

double plot_top(double most, double step)
{
	static const double factors[] = { 1, 2, 5 };

	for (double ten = 1; ten < 1e12; ten *= 10)
		for (size_t i = 0; i < ARRAY_SIZE(factors); i++)
			if (most <= step * ten * factors[i])
				return step * ten * factors[i];
	return most;
}
