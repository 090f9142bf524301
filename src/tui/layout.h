/*
 * The layout: a pure function from the size of the screen and the number of devices, processes and
 * charts to rectangles. No terminal, no state.
 *
 * Rectangles are within the screen and do not overlap, whatever its size; a part without room has
 * height or width 0. The number of devices that do not fit is part of the result.
 */
#pragma once

#include "render/screen_names.h"

#include <stdbool.h>
#include <stddef.h>

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

/* What there is to show. */
struct counts {
	size_t devices;
	const size_t *groups; /* sizes of boards or trays; they add up to devices */
	size_t n_groups;
	size_t first; /* first device to show, if not all fit */
	size_t processes;
	size_t charts; /* maximum number */
	size_t lines;  /* of the text of the memory view */
};

/* The level of detail of a device. */
enum form {
	FORM_NONE,
	FORM_PANEL, /* a title and four lines */
	FORM_LINE,  /* a line with bar and figures */
	FORM_BRIEF, /* number, temperature, power, memory */
	FORM_CELL,  /* of the grid: as many lines as it is high */
};

/* Boxes of one size in lines. With headings, each group begins a new line. */
struct cells {
	struct rect area;
	enum form form;
	int width, height;
	size_t per_line;
	bool headings;
	size_t groups_per_line; /* with headings; more than one if they are that small */
	size_t first, shown;	/* devices first … first + shown - 1 */
	struct rect more;	/* for the number of devices not shown; empty if all are shown */
};

enum { MAX_CHARTS = 16 };

enum { CELL_NAMES_SHARES = 16 }; /* width of a cell of the grid with "D≥63% busy ≥64%" */

struct layout {
	struct rect header, keys; /* a line each */
	struct rect legend; /* explains narrow cells without a heading that could; else empty */
	struct cells cells;
	struct rect charts[MAX_CHARTS];
	size_t n_charts;
	struct rect table; /* of processes: title, headings, rows */
	struct rect page;  /* scrolling text, starting with its title */
	int page_columns;  /* of its text, side by side */
};

/* A box with the given inner size in the middle of the screen, cut to the screen; its inside. */
struct rect box_outside(const struct rect *screen, int height, int width);
struct rect box_inside(const struct rect *box);

void layout_make(struct layout *layout, enum view view, int rows, int columns,
		 const struct counts *counts);

/* Iterates over the cells in order. */
struct cell_walk {
	const struct cells *cells;
	const struct counts *counts;
	size_t next, group, in_group, in_line;
	int row;
	bool below_heading; /* the line has a row of headings */
};

/* One cell. */
struct cell {
	struct rect rect;
	size_t device, group;
	struct rect heading; /* of its group if it is the first of the group; else empty */
};

void cells_begin(struct cell_walk *walk, const struct cells *cells, const struct counts *counts);
bool cells_next(struct cell_walk *walk, struct cell *ret);
