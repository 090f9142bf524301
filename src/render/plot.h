/*
 * A bar chart in characters: values over time as columns of dots, filled from below up to the
 * lowest value of each column; above it, up to the highest, every second dot. Pure functions from
 * values to text.
 */
#pragma once

#include "basic/buf.h"
#include "model/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters that it is drawn with. */
enum plot_characters {
	PLOT_BRAILLE, /* two columns of four dots per character */
	PLOT_BLOCKS,  /* one column of eight steps per character */
	PLOT_ASCII,   /* one column of four steps per character */
	PLOT_CHARACTERS_N,
};

enum { PLOT_SIDES = 2 };

/* A value in steps of the characters, from the bottom of the chart; 0: a gap. */
struct plot_bar {
	uint32_t low;  /* filled completely */
	uint32_t high; /* from low to high: the range of the values */
};

struct plot {
	struct plot_bar *bars; /* room for PLOT_SIDES per column; filled by plot_measure() */
	size_t columns, rows;
	double top; /* value at the upper edge */
	enum plot_characters characters;
};

/* Takes the values: PLOT_SIDES per column, from the left; NAN: a gap. To be called first. */
void plot_measure(const struct plot *plot, const struct metric_range *values);

/* Row 0 is the uppermost. A known value fills at least one step, even if it is 0. */
void plot_row(struct buf *out, const struct plot *plot, size_t row);

/* The smallest value not below most among 1, 2, 3, 4, 6 and 8 times a power of ten times step. */
double plot_top(double most, double step);
