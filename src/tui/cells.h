/*
 * Cells of one size for devices, in lines that are evenly filled: how many fit into an area, and
 * where each is. Pure functions, as the layout that uses them (tui/layout.h).
 */
#pragma once

#include "tui/rect.h"

#include <stdbool.h>
#include <stddef.h>

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

/* A form of a device and the space that it needs. */
struct shape {
	enum form form;
	int width, height; /* at least */
	int widest;	   /* at most */
};

/* Number of lines for so many of them. */
static inline size_t lines_for(size_t count, size_t per_line)
{
	return (count + per_line - 1) / per_line;
}

/* Lays out cells of this shape; lines are evenly filled, and cells as wide as that allows. */
struct cells cells_shape(const struct shape *shape, const struct rect *area,
			 const struct counts *counts, bool headings);

/* Do the cells of all devices fit into so many rows? */
bool cells_fit(const struct cells *cells, const struct counts *counts, int rows);

/* Sets the area; if not all fit, its last row has the number of the others. */
void cells_settle(struct cells *cells, const struct counts *counts, int rows);

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
