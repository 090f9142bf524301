#include "render/columns.h"

/* Extra columns in their order: the first that does not fit ends it. */
struct plan plan_columns(const struct column *columns, size_t count, size_t room, const bool *skip)
{
	struct plan plan = { .columns = columns, .count = count };
	size_t used = 0;
	bool full = false;

	for (size_t i = 0; i < count; i++)
		if (!columns[i].extra)
			used += columns[i].width;
	for (size_t i = 0; i < count; i++) {
		if (!columns[i].extra) {
			plan.widths[i] = used > room ? columns[i].narrow : columns[i].width;
		} else if (!(skip && skip[i])) {
			full = full || used + columns[i].width > room;
			plan.widths[i] = full ? 0 : columns[i].width;
			used += plan.widths[i];
		}
		if (plan.widths[i])
			plan.last = i;
	}
	return plan;
}

/* For the last column 0, which boxed_table_cell() takes for "the rest". */
static size_t plan_width(const struct plan *plan, size_t i)
{
	return i == plan->last ? 0 : plan->widths[i];
}

void plan_put_headings(const struct plan *plan, struct boxed_table *box)
{
	boxed_table_begin(box);
	for (size_t i = 0; i < plan->count; i++)
		if (plan->widths[i])
			boxed_table_cell(box, plan_width(plan, i), STYLE_PLAIN,
					 plan->columns[i].heading);
	boxed_table_end(box);
}

/* A cell may take the rest of the line for itself: then the others have no room. */
void plan_put_row(const struct plan *plan, struct boxed_table *box, const struct row *row)
{
	struct row cell = *row;

	boxed_table_begin(box);
	for (size_t i = 0; i < plan->count && boxed_table_left(box); i++) {
		cell.column = i;
		if (plan->widths[i])
			plan->columns[i].put(box, plan_width(plan, i), &cell);
	}
	boxed_table_end(box);
}

void cell_buf(struct boxed_table *box, size_t width, enum style style, const struct buf *text)
{
	boxed_table_cell(box, width, style, buf_text(text));
}

void cell_na(struct boxed_table *box, size_t width)
{
	boxed_table_cell(box, width, STYLE_DIM, "N/A");
}
