/*
 * Boxes of rows and columns: which columns fit a line, their headings, their cells.
 */
#pragma once

#include "model/snapshot.h"
#include "render/boxed_table.h"

/* What a cell is about; a device row has no process. */
struct row {
	const struct snapshot *snapshot;
	const struct device *device;
	const struct process *process;
	size_t column; /* of the plan: set for each cell */
};

struct column {
	const char *heading;
	size_t width;  /* in characters, with the blank after it */
	size_t narrow; /* the same, when even the plain ones do not fit */
	bool extra;    /* only if there is room */
	void (*put)(struct boxed_table *box, size_t width, const struct row *row);
};

enum { MAX_COLUMNS = 16 };

/* The columns of a box as they fit; widths by column, 0: left out. */
struct plan {
	const struct column *columns;
	size_t count;
	size_t last; /* the last one takes the rest of the line */
	size_t widths[MAX_COLUMNS];
};

/* skip[i]: this extra column has nothing to show; NULL: all have. */
struct plan plan_columns(const struct column *columns, size_t count, size_t room, const bool *skip);

void plan_put_headings(const struct plan *plan, struct boxed_table *box);
void plan_put_row(const struct plan *plan, struct boxed_table *box, const struct row *row);

/* Cells. */
void cell_buf(struct boxed_table *box, size_t width, enum style style, const struct buf *text);
void cell_na(struct boxed_table *box, size_t width);
