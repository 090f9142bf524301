/* Drawing: reads the state, changes nothing. */
#pragma once

#include "tui/ui.h"

/* All of it, into the screen of curses. */
void draw(const struct ui *ui);

/* Its parts. */
void draw_cells(const struct ui *ui);
void draw_charts(const struct ui *ui);
void draw_table(const struct ui *ui);
void draw_overlay(const struct ui *ui);

/* Lines of a text from one on, with a sign where there are more. */
void draw_lines(const struct rect *area, const struct buf *text, size_t top);
