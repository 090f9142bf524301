#include "render/plot.h"

#include "basic/macros.h"
#include "basic/text.h"

#include <math.h>

/* Vertical steps of one character. */
static size_t steps_of(enum plot_characters characters)
{
	return characters == PLOT_BLOCKS ? 8 : 4;
}

/* Height of a value in steps from the bottom of the chart; 0: a gap. */
static uint32_t height_of(const struct plot *plot, double value)
{
	size_t most = plot->rows * steps_of(plot->characters);
	double dots;

	if (isnan(value))
		return 0;
	dots = plot->top > 0 ? value / plot->top * (double)most : 0;
	return (uint32_t)MIN(MAX(dots + 0.5, 1), (double)most);
}

void plot_measure(const struct plot *plot, const struct metric_range *values)
{
	for (size_t i = 0; i < plot->columns * PLOT_SIDES; i++)
		plot->bars[i] = (struct plot_bar){ height_of(plot, values[i].low),
						   height_of(plot, values[i].high) };
}

/* The part of a bar above the lower edge of a row; it may be beyond the upper edge. */
static struct plot_bar cut(struct plot_bar bar, uint32_t base)
{
	return (struct plot_bar){ bar.low - MIN(bar.low, base), bar.high - MIN(bar.high, base) };
}

enum { BRAILLE_STEPS = 4 };

/* Braille patterns number the dots 1-3 and 4-6 down the two columns, then 7 and 8 below them. */
static uint32_t braille_dots(size_t side, struct plot_bar bar)
{
	static const unsigned bits[PLOT_SIDES][BRAILLE_STEPS] = { { 0x40, 0x04, 0x02, 0x01 },
								  { 0x80, 0x20, 0x10, 0x08 } };
	static const unsigned full[PLOT_SIDES] = { 0x47, 0xB8 };
	uint32_t pattern = 0;

	if (bar.low >= BRAILLE_STEPS)
		return full[side]; /* as most are */
	for (size_t i = 0; i < MIN(bar.high, BRAILLE_STEPS); i++)
		if (i < bar.low || i + 1 == bar.high || i % PLOT_SIDES == side)
			pattern |= bits[side][i];
	return pattern;
}

static void put_braille(struct buf *out, struct plot_bar left, struct plot_bar right)
{
	uint32_t pattern = braille_dots(0, left) | braille_dots(1, right);

	if (pattern)
		utf8_encode(out, 0x2800 + pattern);
	else
		buf_putc(out, ' ');
}

/* Number of columns from this one on that are empty in a row, as most are in the upper rows. */
static size_t count_empty(const struct plot *plot, size_t column, uint32_t base)
{
	const struct plot_bar *bar = plot->bars + PLOT_SIDES * column;
	size_t n = 0;

	while (column + n < plot->columns && bar[PLOT_SIDES * n].high <= base &&
	       bar[PLOT_SIDES * n + 1].high <= base)
		n++;
	return n;
}

/* Number of columns from this one on that braille patterns fill in a row. */
static size_t count_full(const struct plot *plot, size_t column, uint32_t base)
{
	const struct plot_bar *bar = plot->bars + PLOT_SIDES * column;
	size_t n = 0;

	while (column + n < plot->columns && bar[PLOT_SIDES * n].low >= base + BRAILLE_STEPS &&
	       bar[PLOT_SIDES * n + 1].low >= base + BRAILLE_STEPS)
		n++;
	return n;
}

/* One character for both sides: filled, or the range if nothing in it is filled. */
static void put_character(struct buf *out, const struct plot *plot, struct plot_bar left,
			  struct plot_bar right)
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

static void put_column(struct buf *out, const struct plot *plot, size_t column, uint32_t base)
{
	struct plot_bar left = cut(plot->bars[PLOT_SIDES * column], base);
	struct plot_bar right = cut(plot->bars[PLOT_SIDES * column + 1], base);

	if (plot->characters == PLOT_BRAILLE)
		put_braille(out, left, right);
	else
		put_character(out, plot, left, right);
}

void plot_row(struct buf *out, const struct plot *plot, size_t row)
{
	uint32_t base = (uint32_t)((plot->rows - 1 - row) * steps_of(plot->characters));

	for (size_t i = 0, n; i < plot->columns; i += n) {
		n = count_empty(plot, i, base);
		if (n) {
			buf_fill(out, ' ', n);
			continue;
		}
		n = plot->characters == PLOT_BRAILLE ? count_full(plot, i, base) : 0;
		if (n) {
			buf_repeat(out, "⣿", n);
			continue;
		}
		put_column(out, plot, i, base);
		n = 1;
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
