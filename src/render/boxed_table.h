/*
 * Boxes with an aligned right edge: cells are measured in terminal columns, not bytes. Text that
 * does not fit is cut and ends with an ellipsis.
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
	size_t at;    /* current column */
};

/* A box of options->columns columns. */
struct boxed_table boxed_table_new(struct buf *out, const struct render_options *options);

void boxed_table_rule(struct boxed_table *box, enum rule rule);
void boxed_table_begin(struct boxed_table *box);
/* A cell of the given width in columns. Width 0, for the last cell: the rest of the line. */
void boxed_table_cell(struct boxed_table *box, size_t width, enum style style, const char *text);
void boxed_table_end(struct boxed_table *box);

/* Columns left for text in this line. */
size_t boxed_table_left(const struct boxed_table *box);

/* Columns available for text in the next cell, if its width is the given one. */
size_t boxed_table_room(const struct boxed_table *box, size_t width);
