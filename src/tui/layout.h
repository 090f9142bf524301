/*
 * The layout: a pure function from the size of the screen and the number of devices, processes and
 * charts to rectangles. No terminal, no state.
 *
 * Rectangles are within the screen and do not overlap, whatever its size; a part without room has
 * height or width 0. The number of devices that do not fit is part of the result.
 */
#pragma once

#include "render/screen_names.h"
#include "tui/cells.h"

#include <stddef.h>

enum { MAX_CHARTS = 16 };

enum { CELL_NAMES_SHARES = 16 }; /* width of a cell of the grid with "D≥63% busy ≥64%" */

struct layout {
	struct rect header, keys; /* a line each */
	struct rect legend; /* explains percentages if no heading of the cells does; else empty */
	struct cells cells;
	struct rect charts[MAX_CHARTS];
	size_t n_charts;
	struct rect table; /* of processes: title, headings, rows */
	struct rect page;  /* scrolling text, starting with its title */
	int page_columns;  /* of its text, side by side */
};

void layout_make(struct layout *layout, enum view view, int rows, int columns,
		 const struct counts *counts);
