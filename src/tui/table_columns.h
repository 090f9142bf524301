/* Selects the columns of processes that fit, for drawing, for the mouse and for sorting. */
#pragma once

#include "tui/ui.h"

/* Widths by column, for a table of this width; 0: not shown. */
void table_plan(const struct ui *ui, int width, int *widths);
