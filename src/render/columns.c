#include "render/columns.h"

struct column column_make(const struct column_form *form, bool extra,
			  void (*put)(struct boxed_table *box, size_t width, const struct row *row))
{
	return (struct column){
		.heading = form->heading,
		.width = (size_t)form->width + 1,
		.narrow = (size_t)(form->narrow ? form->narrow : form->width) + 1,
		.extra = extra,
		.put = put,
	};
}

/* Optional columns are added in their order until one does not fit. */
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

/* 0 for the last column: boxed_table_cell() then uses the rest of the line. */
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

/* A cell may use up the rest of the line; the remaining cells are then left out. */
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
