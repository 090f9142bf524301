/*
 * Boxes whose right edge lines up whatever is in them: cells are measured in
 * columns, not bytes, and cut with a mark where they do not fit.
 */
#pragma once

#include "basic/buf.h"
#include "render/style.h"

#include <stddef.h>

enum rule { RULE_TOP, RULE_MIDDLE, RULE_BOTTOM };

struct boxed_table {
	struct buf *out;
	const struct render_options *options;
	size_t inner; /* columns between the edges */
	size_t at;    /* column within them */
};

/* A box as wide as the options allow. */
struct boxed_table boxed_table_new(struct buf *out, const struct render_options *options);

void boxed_table_rule(struct boxed_table *box, enum rule rule);
void boxed_table_begin(struct boxed_table *box);
/* A cell of so many columns; the last one of a line takes what is left: width 0. */
void boxed_table_cell(struct boxed_table *box, size_t width, enum style style, const char *text);
void boxed_table_end(struct boxed_table *box);

/* Columns left in this line for text. */
size_t boxed_table_left(const struct boxed_table *box);

/* Columns that text may have in the next cell, if it is of this width. */
size_t boxed_table_room(const struct boxed_table *box, size_t width);
