#include "render/plot.h"

#include "basic/macros.h"
#include "basic/text.h"

#include <math.h>
#include <string.h>

/* Vertical steps of one character. */
static size_t steps_of(enum plot_characters characters)
{
	return characters == PLOT_BLOCKS ? 8 : 4;
}

/* Height of a value in steps from the bottom of the chart; 0: a gap. */
static size_t height_of(const struct plot *plot, double value)
{
	size_t most = plot->rows * steps_of(plot->characters);
	double dots;

	if (isnan(value))
		return 0;
	dots = plot->top > 0 ? value / plot->top * (double)most : 0;
	return (size_t)MIN(MAX(dots + 0.5, 1), (double)most);
}

/* A column of one character, in steps from its lower edge, which may be beyond its upper edge. */
struct fill {
	size_t low;  /* filled completely */
	size_t high; /* from low to high: the range of the values */
};

static struct fill fill_of(const struct plot *plot, const struct metric_range *value, size_t row)
{
	size_t base = (plot->rows - 1 - row) * steps_of(plot->characters);
	size_t low = height_of(plot, value->low), high = height_of(plot, value->high);

	return (struct fill){ low - MIN(low, base), high - MIN(high, base) };
}

enum { BRAILLE_STEPS = 4 };

/* Braille patterns number the dots 1-3 and 4-6 down the two columns, then 7 and 8 below them. */
static uint32_t braille_dots(size_t side, struct fill fill)
{
	static const unsigned bits[PLOT_SIDES][BRAILLE_STEPS] = { { 0x40, 0x04, 0x02, 0x01 },
								  { 0x80, 0x20, 0x10, 0x08 } };
	uint32_t pattern = 0;

	for (size_t i = 0; i < MIN(fill.high, BRAILLE_STEPS); i++)
		if (i < fill.low || i + 1 == fill.high || i % PLOT_SIDES == side)
			pattern |= bits[side][i];
	return pattern;
}

static void put_braille(struct buf *out, struct fill left, struct fill right)
{
	uint32_t pattern = braille_dots(0, left) | braille_dots(1, right);

	if (pattern)
		utf8_encode(out, 0x2800 + pattern);
	else
		buf_putc(out, ' ');
}

/* One character for both sides: filled, or the range if nothing in it is filled. */
static void put_character(struct buf *out, const struct plot *plot, struct fill left,
			  struct fill right)
{
	static const char *const ascii[] = { " ", ".", ":", "|", "#" };
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	bool block = plot->characters == PLOT_BLOCKS;
	size_t low = MIN(MAX(left.low, right.low), steps_of(plot->characters));

	if (!low && (left.high || right.high))
		buf_puts(out, block ? "░" : "'");
	else
		buf_puts(out, block ? blocks[low] : ascii[low]);
}

/* Adjacent values are often equal: then the fill of the last one is used again. */
static struct fill next_fill(const struct plot *plot, size_t at, size_t row, struct fill last)
{
	const struct metric_range *value = &plot->values[at];

	if (at > 0 && memcmp(value, value - 1, sizeof(*value)) == 0)
		return last;
	return fill_of(plot, value, row);
}

void plot_row(struct buf *out, const struct plot *plot, size_t row)
{
	struct fill left, right = { 0 };

	for (size_t i = 0; i < plot->columns; i++) {
		left = next_fill(plot, PLOT_SIDES * i, row, right);
		right = next_fill(plot, PLOT_SIDES * i + 1, row, left);
		if (plot->characters == PLOT_BRAILLE)
			put_braille(out, left, right);
		else
			put_character(out, plot, left, right);
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
