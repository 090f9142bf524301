/* Draws the list of processes. */
#include "tui/draw.h"
#include "tui/paint.h"
#include "tui/table_columns.h"

#include <stdio.h>
#include <string.h>

static void draw_headings(const struct ui *ui, int row, const int *widths)
{
	const struct rect *table = &ui->layout.table;
	const struct process_order *order = &ui->settings.order;
	int at = table->left;

	paint_cell(row, at++, 1, false, STYLE_HEADING, "");
	for (size_t k = 0; k < PROCESS_COLUMNS; k++) {
		enum process_column i = ui->settings.columns.order[k];
		CLEANUP_BUF struct buf text = { 0 };
		char heading[COLUMN_HEADING];

		if (!widths[i])
			continue;
		buf_puts(&text, process_column_capitals(i, heading));
		if (order->column == i)
			buf_puts(&text,
				 order->down ? paint_symbol("▼", "v") : paint_symbol("▲", "^"));
		paint_cell(row, at, widths[i], process_column_form(i)->align == ALIGN_RIGHT,
			   STYLE_HEADING, buf_text(&text));
		paint_cell(row, at + widths[i], 1, false, STYLE_HEADING, "");
		at += widths[i] + 1;
	}
}

static void put_branch(struct buf *out, const struct process_row *entry)
{
	for (unsigned i = 1; i < entry->depth; i++)
		buf_puts(out, "  ");
	if (entry->depth)
		buf_puts(out, paint_symbol("└─", "`-"));
}

static void draw_row(const struct ui *ui, int row, size_t at, const int *widths)
{
	const struct process_row *entry = &ui->list.rows[at];
	struct process_scope scope = ui_scope(ui);
	const struct rect *table = &ui->layout.table;
	bool selected = at == ui->row && ui->settings.view != VIEW_GRID;
	bool tagged = ui_is_tagged(ui, entry->process);
	enum style style = selected ? STYLE_SELECTED : tagged ? STYLE_TAGGED : STYLE_PLAIN;
	int column = table->left;

	paint_cell(row, column++, 1, false, style,
		   tagged     ? "+"
		   : selected ? paint_symbol("▶", ">")
			      : "");
	for (size_t k = 0; k < PROCESS_COLUMNS; k++) {
		enum process_column i = ui->settings.columns.order[k];
		CLEANUP_BUF struct buf text = { 0 };

		if (!widths[i])
			continue;
		if (i == COL_COMMAND)
			put_branch(&text, entry);
		process_column_text(&text, &scope, entry->process, i, paint_is_utf8());
		paint_cell(row, column, widths[i], process_column_form(i)->align == ALIGN_RIGHT,
			   style, buf_text(&text));
		paint_cell(row, column + widths[i], 1, false, style, "");
		column += widths[i] + 1;
	}
}

/* Number of selected columns that have no room. */
static size_t count_left_out(const struct ui *ui, const int *widths)
{
	struct process_scope scope = ui_scope(ui);
	size_t count = 0;

	for (enum process_column i = 0; i < PROCESS_COLUMNS; i++)
		count += !ui->settings.columns.hidden[i] && !widths[i] &&
			 process_column_is_used(i, &scope);
	return count;
}

static void put_title(struct buf *out, const struct ui *ui, size_t shown)
{
	const struct process_order *order = &ui->settings.order;
	char heading[COLUMN_HEADING];

	buf_printf(out, "Processes  %zu", ui->list.count);
	if (ui_scope(ui).dev)
		buf_printf(out, " on device %s", ui_scope(ui).dev->id);
	if (shown < ui->list.count)
		buf_printf(out, ", %zu-%zu shown", ui->first_row + 1, ui->first_row + shown);
	buf_printf(out, "  by %s%s", process_column_capitals(order->column, heading),
		   order->down ? paint_symbol("▼", "v") : paint_symbol("▲", "^"));
	if (ui->filter.count)
		buf_printf(out, "  only %s (+%zu)", ui->filter_text, ui->list.hidden);
	if (ui->n_tagged)
		buf_printf(out, "  %zu tagged", ui->n_tagged);
	if (ui->follow)
		buf_puts(out, "  following");
}

static void draw_title(const struct ui *ui, int row, size_t shown, size_t left_out)
{
	CLEANUP_BUF struct buf title = { 0 };
	char more[32] = "";

	put_title(&title, ui, shown);
	if (left_out)
		snprintf(more, sizeof(more), " +%zu column%s ", left_out, left_out == 1 ? "" : "s");
	paint_rule_more(row, ui->layout.table.left, ui->layout.table.width, buf_text(&title), more);
}

/* Shown instead of rows if there are none. */
static const char *empty_text(const struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);

	if (ui->list.hidden)
		return "no process matches the filter; Esc clears it";
	for (size_t i = 0; snapshot && i < snapshot->n_devices; i++)
		if (snapshot->devices[i].holders_why == NOT_ASKED)
			return "looking for processes";
		else if (!snapshot->devices[i].holders_known &&
			 device_has_node(&snapshot->devices[i]))
			return "unknown which processes have the devices open";
	return "no process has a device open";
}

/* Without a title, the last row has the number of processes that are not shown. */
static void draw_rest(const struct ui *ui, int row, size_t shown)
{
	size_t hidden = ui->list.count - shown;
	const struct rect *table = &ui->layout.table;
	char text[48];
	int width;

	if (!hidden || ui_table_has_title(ui))
		return;
	width = snprintf(text, sizeof(text), " +%zu process%s", hidden, hidden == 1 ? "" : "es");
	if (width < table->width)
		paint_text(row, table->left + table->width - width, width, STYLE_WARN, text);
}

void draw_table(const struct ui *ui)
{
	const struct rect *table = &ui->layout.table;
	size_t shown = MIN(ui_table_rows(ui), ui->list.count - ui->first_row);
	int row = table->top, widths[PROCESS_COLUMNS];

	if (rect_is_empty(table) || !ui_snapshot(ui))
		return;
	table_plan(ui, table->width, widths);
	if (ui_table_has_title(ui))
		draw_title(ui, row++, shown, count_left_out(ui, widths));
	if (ui_table_has_headings(ui))
		draw_headings(ui, row++, widths);
	if (ui->list.count == 0)
		paint_text(row, table->left + 1, table->width - 1, STYLE_DIM, empty_text(ui));
	for (size_t i = 0; i < shown; i++)
		draw_row(ui, row++, ui->first_row + i, widths);
	draw_rest(ui, row - 1, shown);
}
