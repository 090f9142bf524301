/*
 * Boxes whose right edge lines up whatever is in them: cells are measured in
 * columns, not bytes, and cut with a mark where they do not fit.
 */
#pragma once

#include "basic/buf.h"
#include "render/look.h"

#include <stddef.h>

enum tint { TINT_NONE, TINT_BOLD, TINT_DIM, TINT_GOOD, TINT_WARN, TINT_BAD, TINT_N };

enum rule { RULE_TOP, RULE_MIDDLE, RULE_BOTTOM };

struct sheet {
	struct buf *out;
	const struct look *look;
	size_t inner; /* columns between the edges */
	size_t at;    /* column within them */
};

/* A sheet as wide as the look allows. */
struct sheet sheet_new(struct buf *out, const struct look *look);

void sheet_rule(struct sheet *sheet, enum rule rule);
void sheet_begin(struct sheet *sheet);
/* A cell of so many columns; the last one of a line takes what is left: width 0. */
void sheet_cell(struct sheet *sheet, size_t width, enum tint tint, const char *text);
void sheet_end(struct sheet *sheet);

/* Columns left in this line for text. */
size_t sheet_left(const struct sheet *sheet);

/* Columns that text may have in the next cell, if it is of this width. */
size_t sheet_room(const struct sheet *sheet, size_t width);

/* Tints outside a box. */
void tint_put(struct buf *out, const struct look *look, enum tint tint, const char *text);
