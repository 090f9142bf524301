/*
 * The layout: a pure function from the size of the screen and the number of devices,
 * processes and charts to rectangles. No terminal, no state.
 *
 * Rectangles lie within the screen and do not overlap, whatever its size; a part without room
 * has height or width 0. Devices that do not fit are counted, so that the screen can say so.
 */
#pragma once

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

enum view { VIEW_OVERVIEW, VIEW_GRID, VIEW_PROCESSES, VIEW_MEMORY, VIEW_DEVICE, VIEW_N };

/* What there is to show. */
struct counts {
	size_t devices;
	const size_t *groups; /* sizes of boards or trays; they add up to devices */
	size_t n_groups;
	size_t first; /* device at the top, if not all fit */
	size_t processes;
	size_t charts; /* at most */
};

/* How much of a device is shown. */
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
	size_t first, shown; /* devices first … first + shown - 1 */
	struct rect more;    /* for the number of devices not shown; empty if all are shown */
};

enum { MAX_CHARTS = 16 };

struct layout {
	struct rect header, keys; /* a line each */
	struct cells cells;
	struct rect charts[MAX_CHARTS];
	size_t n_charts;
	struct rect table; /* of processes: title, headings, rows */
	struct rect page;  /* text that scrolls, its title first */
};

/* A box around so many rows and columns in the middle of the screen, cut to it; its inside. */
struct rect box_outside(const struct rect *screen, int height, int width);
struct rect box_inside(const struct rect *box);

void layout_make(struct layout *layout, enum view view, int rows, int columns,
		 const struct counts *counts);

/* Visits the cells in their order. */
struct cell_walk {
	const struct cells *cells;
	const struct counts *counts;
	size_t next, group, in_group, in_line;
	int row;
};

/* One cell. */
struct cell {
	struct rect rect;
	size_t device, group;
	int heading; /* row of its group's heading if it is the first; else -1 */
};

void cells_begin(struct cell_walk *walk, const struct cells *cells, const struct counts *counts);
bool cells_next(struct cell_walk *walk, struct cell *ret);
