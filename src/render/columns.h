/*
 * Rows and columns of a box: selects the columns that fit a line and prints headings and cells.
 */
#pragma once

#include "model/snapshot.h"
#include "render/boxed_table.h"

/* The subject of a row. process is NULL in rows of devices. */
struct row {
	const struct snapshot *snapshot;
	const struct device *device;
	const struct process *process;
	size_t column; /* index of the current cell's column */
};

struct column {
	const char *heading;
	size_t width;  /* in characters, including the blank after it */
	size_t narrow; /* width used if even the mandatory columns do not fit */
	bool extra;    /* optional: shown only if there is room */
	void (*put)(struct boxed_table *box, size_t width, const struct row *row);
};

/* The column of a field. */
struct column column_make(const struct column_form *form, bool extra,
			  void (*put)(struct boxed_table *box, size_t width,
				      const struct row *row));

enum { MAX_COLUMNS = 16 };

/* The columns selected for a box and their widths; 0: the column is left out. */
struct plan {
	const struct column *columns;
	size_t count;
	size_t last; /* index of the last column, which takes the rest of the line */
	size_t widths[MAX_COLUMNS];
};

/* skip[i]: optional column i has nothing to show. skip may be NULL. */
struct plan plan_columns(const struct column *columns, size_t count, size_t room, const bool *skip);

void plan_put_headings(const struct plan *plan, struct boxed_table *box);
void plan_put_row(const struct plan *plan, struct boxed_table *box, const struct row *row);

void cell_buf(struct boxed_table *box, size_t width, enum style style, const struct buf *text);
void cell_na(struct boxed_table *box, size_t width);
