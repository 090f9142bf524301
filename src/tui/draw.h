/* Draws the screen from the state, without changing it. */
#pragma once

#include "tui/ui.h"

/* Draws everything into the virtual screen of curses. */
void draw(const struct ui *ui);

/* The parts of the screen. */
void draw_cells(const struct ui *ui);
void draw_charts(const struct ui *ui);
void draw_table(const struct ui *ui);
void draw_overlay(const struct ui *ui);

/*
 * Draws the lines of a text from line top on, with the number of lines below. Styled: the text has
 * escape sequences (paint_styled()); else lines without indentation are headings.
 */
void draw_lines(const struct rect *area, int columns, const struct buf *text, size_t top,
		bool styled);
