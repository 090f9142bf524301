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

struct boxed_table {
	struct buf *out;
	const struct look *look;
	size_t inner; /* columns between the edges */
	size_t at;    /* column within them */
};

/* A box as wide as the look allows. */
struct boxed_table boxed_table_new(struct buf *out, const struct look *look);

void boxed_table_rule(struct boxed_table *box, enum rule rule);
void boxed_table_begin(struct boxed_table *box);
/* A cell of so many columns; the last one of a line takes what is left: width 0. */
void boxed_table_cell(struct boxed_table *box, size_t width, enum tint tint, const char *text);
void boxed_table_end(struct boxed_table *box);

/* Columns left in this line for text. */
size_t boxed_table_left(const struct boxed_table *box);

/* Columns that text may have in the next cell, if it is of this width. */
size_t boxed_table_room(const struct boxed_table *box, size_t width);

/* Tints outside a box. */
void tint_put(struct buf *out, const struct look *look, enum tint tint, const char *text);
