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
	bool *touched;			   /* rows that may differ from those shown */
	bool is_known;			   /* shown is what the terminal shows */
	struct cursor_place cursor;	   /* of the terminal */
	enum style style;		   /* that the terminal writes in */
	struct cursor_place saved;	   /* by the terminal; a row of -1: none */
	enum style saved_style;		   /* that it saved with the cursor position */
	/* The cell that changes more often than others, whose position the terminal has saved; a
	 * row of -1: none. */
	struct cursor_place busiest;
};

/* Everything is blank, and it is unknown what the terminal shows. */
MUST_CHECK int canvas_resize(struct canvas *canvas, int rows, int columns);
void canvas_done(struct canvas *canvas);

/* It is no longer known what the terminal shows: the next frame is written completely. */
void canvas_forget(struct canvas *canvas);

/* Blanks in STYLE_PLAIN. */
void canvas_clear_row(struct canvas *canvas, int row);

/*
 * A character that takes one or two columns; nothing outside the grid. A blank has STYLE_PLAIN if
 * it looks the same.
 */
void canvas_put(struct canvas *canvas, int row, int column, enum style style, uint32_t c,
		unsigned width);

/*
 * For many characters of one column each, in one row and style: less work than canvas_put(). The
 * place must be in the grid, and so must be all others.
 */
struct canvas_pen {
	struct canvas *canvas;
	struct canvas_cell *cells;
	int row, column;
	enum style style, blank; /* of characters, and of blanks */
};

static inline struct canvas_pen canvas_pen(struct canvas *canvas, int row, int column,
					   enum style style)
{
	canvas->touched[row] = true;
	return (struct canvas_pen){
		.canvas = canvas,
		.cells = &canvas->drawn[row * canvas->columns + column],
		.row = row,
		.column = column,
		.style = style,
		.blank = theme_blank_is_plain(style) ? STYLE_PLAIN : style,
	};
}

/* at: columns after the place of the pen. */
static inline void canvas_pen_put(const struct canvas_pen *pen, int at, uint32_t c)
{
	if (pen->cells[at].width == 1)
		pen->cells[at] = (struct canvas_cell){
			.c = c, .style = (uint16_t)(c == ' ' ? pen->blank : pen->style), .width = 1
		};
	else /* a half of a wide character */
		canvas_put(pen->canvas, pen->row, pen->column + at, pen->style, c, 1);
}

/* A combining character, for the character in this column or the wide one that covers it. */
void canvas_combine(struct canvas *canvas, int row, int column, uint32_t c);

static inline const struct canvas_cell *canvas_at(const struct canvas *canvas, int row, int column)
{
	return &canvas->drawn[row * canvas->columns + column];
}
