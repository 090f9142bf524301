/*
 * Lines without a box: text by columns, cut at the edge of the terminal.
 */
#pragma once

#include "basic/buf.h"
#include "render/look.h"
#include "render/sheet.h"

struct line {
	struct buf *out;
	const struct look *look;
	size_t at; /* columns so far */
};

/* Foreign text is cleaned on the way. */
void line_put(struct line *line, enum tint tint, const char *text);
void line_printf(struct line *line, enum tint tint, const char *format, ...) PRINTF(3, 4);

/* Text of at most so many columns, with a mark if it was cut, and blanks up to them. */
void line_cell(struct line *line, size_t width, enum tint tint, const char *text);
void line_cell_right(struct line *line, size_t width, enum tint tint, const char *text);

/* Blanks up to that column. */
void line_to(struct line *line, size_t column);
void line_end(struct line *line);
