#include "tui/list_actions.h"

#include "tui/navigation.h"
#include "tui/table_columns.h"
#include "tui/ui_update.h"

#include <stdio.h>
#include <string.h>

bool ui_set_filter(struct ui *ui, const char *text)
{
	char problem[128];

	if (filter_parse(&ui->filter, text, problem, sizeof(problem)) < 0) {
		ui_show_message(ui, "%s", problem);
		return false;
	}
	if (text != ui->filter_text) {
		snprintf(ui->filter_text, sizeof(ui->filter_text), "%s", text);
		ui->message_until_ns = 0; /* hides the error of the last one */
	}
	ui_list(ui);
	return true;
}

/* Shows only processes on the selected device; the second call removes that condition. */
void ui_isolate_device(struct ui *ui)
{
	const struct device *dev = ui_device(ui, ui->device);
	char next[sizeof(ui->filter_text)];

	if (!dev)
		return;
	snprintf(next, sizeof(next), "%s", ui->filter_text);
	if (filter_replace(next, sizeof(next), COL_DEVICES, dev->id) &&
	    strcmp(next, ui->filter_text) == 0 &&
	    !filter_replace(next, sizeof(next), COL_DEVICES, NULL))
		return;
	ui_set_filter(ui, next);
}

void ui_search(struct ui *ui, size_t from, bool forward)
{
	struct process_scope scope = ui_scope(ui);
	long at;

	if (!ui->search_text[0] || !ui->list.count)
		return;
	at = process_list_search(&ui->list, &scope, ui->search_text, from % ui->list.count,
				 forward);
	if (at >= 0)
		ui_select_row(ui, (size_t)at);
	else
		ui_show_message(ui, "not found: %s", ui->search_text);
}

void ui_search_on(struct ui *ui, int direction)
{
	ui_search(ui, ui->row + ui->list.count + (size_t)direction, direction > 0);
}

void ui_sort_by(struct ui *ui, int column)
{
	process_order_choose(&ui->settings.order, (enum process_column)column);
	ui_list(ui);
}

void ui_invert_sort(struct ui *ui)
{
	ui_sort_by(ui, (int)ui->settings.order.column);
}

void ui_toggle_tree(struct ui *ui)
{
	ui->settings.order.tree = !ui->settings.order.tree;
	ui_list(ui);
}

/* Sorts by the next or previous visible column. */
void ui_sort_by_neighbour(struct ui *ui, int direction)
{
	const struct settings *settings = &ui->settings;
	int widths[PROCESS_COLUMNS], place = 0;

	table_plan(ui, ui->columns, widths);
	while (settings->columns.order[place] != settings->order.column)
		place++;
	do
		place += direction;
	while (place >= 0 && place < PROCESS_COLUMNS &&
	       widths[settings->columns.order[place]] == 0);
	if (place >= 0 && place < PROCESS_COLUMNS)
		ui_sort_by(ui, (int)settings->columns.order[place]);
}
