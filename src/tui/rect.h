/* Rectangles on the screen, and boxes in its middle. */
#pragma once

#include <stdbool.h>

struct rect {
	int top, left, height, width;
};

static inline bool rect_is_empty(const struct rect *rect)
{
	return rect->height <= 0 || rect->width <= 0;
}

static inline bool rect_has(const struct rect *rect, int row, int column)
{
	return row >= rect->top && row < rect->top + rect->height && column >= rect->left &&
	       column < rect->left + rect->width;
}

/* A box with the given inner size in the middle of the screen, cut to the screen; its inside. */
struct rect box_outside(const struct rect *screen, int height, int width);
struct rect box_inside(const struct rect *box);
