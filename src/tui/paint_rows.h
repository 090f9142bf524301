/*
 * What is painted in each row of the screen, as a list of texts with their places. A row whose list
 * is that of the last frame looks the same, and is not drawn on the canvas again.
 */
#pragma once

#include "basic/buf.h"
#include "tui/canvas.h"

struct paint_row {
	struct buf now, before; /* of this frame and of the last one */
};

struct paint_rows {
	struct paint_row *rows;
	int count;
};

/* Begins a frame with empty rows. */
void paint_rows_begin(struct paint_rows *rows, const struct canvas *canvas);
void paint_rows_done(struct paint_rows *rows);

/* Adds a text; it and its place must be within the screen. */
void paint_rows_add(struct paint_rows *rows, int row, int column, enum style style,
		    const char *text, size_t length);

/* Adds one character several times. */
void paint_rows_repeat(struct paint_rows *rows, int row, int column, enum style style,
		       uint32_t character, int times);

/* Draws the rows that differ from the last frame; all of them if the canvas is not known. */
void paint_rows_draw(const struct paint_rows *rows, struct canvas *canvas, bool utf8);

/* How many bytes of a text fit into this number of columns, and in *ret_used those they take. */
size_t paint_fit(const char *text, size_t length, int room, bool utf8, int *ret_used);
