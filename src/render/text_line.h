/*
 * Lines without a box, cut at the edge of the terminal.
 */
#pragma once

#include "basic/buf.h"
#include "render/style.h"

struct text_line {
	struct buf *out;
	const struct render_options *options;
	size_t at; /* columns so far */
};

/* Control characters are removed from the text. */
void text_line_put(struct text_line *line, enum style style, const char *text);
void text_line_printf(struct text_line *line, enum style style, const char *format, ...)
	PRINTF(3, 4);

/* Text cut (with a mark) or padded to the given width. */
void text_line_cell(struct text_line *line, size_t width, enum style style, const char *text);
void text_line_cell_right(struct text_line *line, size_t width, enum style style, const char *text);

/* Pads with blanks up to a column. */
void text_line_to(struct text_line *line, size_t column);
void text_line_end(struct text_line *line);
