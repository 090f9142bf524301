/* Draws the screen from the state, without changing it. */
#pragma once

#include "tui/ui.h"

/* Everything, into the virtual screen of curses. */
void draw(const struct ui *ui);

/* Its parts. */
void draw_cells(const struct ui *ui);
void draw_charts(const struct ui *ui);
void draw_table(const struct ui *ui);
void draw_overlay(const struct ui *ui);

/* The lines of a text from the top-th on, with the number of lines below. */
void draw_lines(const struct rect *area, const struct buf *text, size_t top);
