/*
 * Lines without a box: text by columns, cut at the edge of the terminal.
 */
#pragma once

#include "basic/buf.h"
#include "render/style.h"

struct text_line {
	struct buf *out;
	const struct render_options *options;
	size_t at; /* columns so far */
};

/* Foreign text is cleaned on the way. */
void text_line_put(struct text_line *line, enum style style, const char *text);
void text_line_printf(struct text_line *line, enum style style, const char *format, ...)
	PRINTF(3, 4);

/* Text of at most so many columns, with a mark if it was cut, and blanks up to them. */
void text_line_cell(struct text_line *line, size_t width, enum style style, const char *text);
void text_line_cell_right(struct text_line *line, size_t width, enum style style, const char *text);

/* Blanks up to that column. */
void text_line_to(struct text_line *line, size_t column);
void text_line_end(struct text_line *line);
