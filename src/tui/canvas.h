/*
 * The screen as a grid of cells. Everything is drawn here first; canvas_writer.h sends the
 * terminal what differs from the cells that it shows.
 */
#pragma once

#include "basic/macros.h"
#include "tui/cursor_move.h"
#include "tui/theme.h"

#include <stdbool.h>
#include <stdint.h>

struct canvas_cell {
	uint32_t c;	   /* 0: the right half of the wide character before it */
	uint32_t marks[2]; /* combining characters; 0: none */
	uint16_t style;	   /* enum style */
	uint16_t width;	   /* in columns */
};

struct canvas {
	int rows, columns;
	struct canvas_cell *drawn, *shown; /* row by row */
	bool is_known;			   /* shown is what the terminal shows */
	struct cursor_place cursor;	   /* of the terminal */
	enum style style;		   /* that the terminal writes in */
	struct cursor_place saved;	   /* by the terminal; a row of -1: none */
	enum style saved_style;		   /* that it saved with the place */
	/* The cell that changes more often than others; a row of -1: none. Its place is saved. */
	struct cursor_place busiest;
};

/* Everything is blank, and what the terminal shows is not known. */
MUST_CHECK int canvas_resize(struct canvas *canvas, int rows, int columns);
void canvas_done(struct canvas *canvas);

/* What the terminal shows is not known any more: the next frame is written as a whole. */
void canvas_forget(struct canvas *canvas);

/* Blanks in STYLE_PLAIN. */
void canvas_clear(struct canvas *canvas);

/*
 * A character that takes one or two columns; nothing outside the grid. A blank has STYLE_PLAIN if
 * it looks the same.
 */
void canvas_put(struct canvas *canvas, int row, int column, enum style style, uint32_t c,
		unsigned width);

/* A combining character, for the character in this column or the wide one that covers it. */
void canvas_combine(struct canvas *canvas, int row, int column, uint32_t c);

static inline const struct canvas_cell *canvas_at(const struct canvas *canvas, int row, int column)
{
	return &canvas->drawn[row * canvas->columns + column];
}
