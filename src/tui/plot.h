/*
 * A chart in characters: values over time as columns of dots, filled from below.
 * Pure: from values to text, no screen, no clock.
 */
#pragma once

#include "basic/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Braille has two columns of four dots in a character; ASCII one of four steps. */
enum { PLOT_DOTS = 4, PLOT_SIDES = 2 };

struct plot {
	const double *values; /* PLOT_SIDES per column, from the left; NAN: a gap */
	size_t columns, rows;
	double top; /* value at the upper edge */
	bool utf8;
};

/* One line of it, 0 the uppermost. What is known has at least one dot, also if it is 0. */
void plot_row(struct buf *out, const struct plot *plot, size_t row);

/* The lowest multiple of 1, 2 or 5 times a power of ten and the step that is not below most. */
double plot_top(double most, double step);
