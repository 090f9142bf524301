/*
 * A chart in characters: values over time as columns of dots, filled from below.
 * Pure: from values to text, no screen, no clock.
 */
#pragma once

#include "basic/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* What it is drawn with. */
enum plot_signs {
	PLOT_BRAILLE, /* two columns of four dots in a character */
	PLOT_BLOCKS,  /* one column of eight steps */
	PLOT_ASCII,   /* one column of four steps */
	PLOT_SIGNS_N,
};

enum { PLOT_SIDES = 2 };

struct plot {
	const double *values; /* PLOT_SIDES per column, from the left; NAN: a gap */
	size_t columns, rows;
	double top; /* value at the upper edge */
	enum plot_signs signs;
};

/* One line of it, 0 the uppermost. What is known has at least one step, also if it is 0. */
void plot_row(struct buf *out, const struct plot *plot, size_t row);

/* The lowest multiple of 1, 2, 3, 4, 6 or 8 times a power of ten and the step that is not below
 * most. */
double plot_top(double most, double step);
