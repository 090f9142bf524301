#include "render/plot.h"

#include "basic/macros.h"
#include "basic/text.h"

#include <math.h>

enum { MOST_STEPS = 8 };

/* Steps of a character, one above the other. */
static size_t steps_of(enum plot_signs signs)
{
	return signs == PLOT_BLOCKS ? 8 : 4;
}

/* Steps of a column, counted from the bottom of the chart; 0: a gap. */
static size_t height_of(const struct plot *plot, double value)
{
	size_t most = plot->rows * steps_of(plot->signs);
	double dots;

	if (isnan(value))
		return 0;
	dots = plot->top > 0 ? value / plot->top * (double)most : 0;
	return (size_t)MIN(MAX(dots + 0.5, 1), (double)most);
}

/* Of these steps, how many fall into a row. */
static size_t steps_in(const struct plot *plot, double value, size_t row)
{
	size_t steps = steps_of(plot->signs), height = height_of(plot, value);
	size_t base = (plot->rows - 1 - row) * steps;

	return height > base ? MIN(height - base, steps) : 0;
}

/* Braille counts its dots down each column, the fourth ones apart. */
static void put_braille(struct buf *out, size_t left, size_t right)
{
	static const unsigned bits[PLOT_SIDES][4] = { { 0x40, 0x04, 0x02, 0x01 },
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
	static const char ascii[] = " .:|#";
	static const char *const blocks[MOST_STEPS + 1] = { " ", "▁", "▂", "▃", "▄",
							    "▅", "▆", "▇", "█" };

	for (size_t i = 0; i < plot->columns; i++) {
		size_t left = steps_in(plot, plot->values[PLOT_SIDES * i], row);
		size_t right = steps_in(plot, plot->values[PLOT_SIDES * i + 1], row);

		switch (plot->signs) {
		case PLOT_BRAILLE: put_braille(out, left, right); break;
		case PLOT_BLOCKS: buf_puts(out, blocks[MAX(left, right)]); break;
		case PLOT_ASCII:
		case PLOT_SIGNS_N: buf_putc(out, ascii[MAX(left, right)]); break;
		}
	}
}

double plot_top(double most, double step)
{
	static const double factors[] = { 1, 2, 3, 4, 6, 8 };

	for (double ten = 1; ten < 1e12; ten *= 10)
		for (size_t i = 0; i < ARRAY_SIZE(factors); i++)
			if (most <= step * ten * factors[i])
				return step * ten * factors[i];
	return most;
}
