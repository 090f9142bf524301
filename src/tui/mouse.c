#include "tui/mouse.h"

#include "tui/actions.h"
#include "tui/key_bar.h"
#include "tui/menu.h"
#include "tui/navigation.h"
#include "tui/table_columns.h"
#include "tui/ui_update.h"

#include <curses.h>

/* The column whose heading is at this position; -1: none. */
static int heading_at(const struct ui *ui, int column)
{
	int widths[PROCESS_COLUMNS], at = ui->layout.table.left + 1;

	table_plan(ui, ui->layout.table.width, widths);
	for (size_t k = 0; k < PROCESS_COLUMNS; k++) {
		int i = ui->settings.columns.order[k];

		if (widths[i] && column >= at && column < at + widths[i])
			return i;
		at += widths[i] ? widths[i] + 1 : 0;
	}
	return -1;
}

static void click_table(struct ui *ui, int row, int column)
{
	int line = row - ui->layout.table.top - ui_table_has_title(ui);
	int heading;

	if (ui_table_has_headings(ui)) {
		heading = line == 0 ? heading_at(ui, column) : -1;
		if (heading >= 0) {
			process_order_choose(&ui->settings.order, (enum process_column)heading);
			ui_list(ui);
		}
		line--;
	}
	if (line >= 0 && ui->first_row + (size_t)line < ui->list.count)
		ui_select_row(ui, ui->first_row + (size_t)line);
}

static void click_cell(struct ui *ui, int row, int column)
{
	struct counts counts = ui_counts(ui);
	struct cell_walk walk;
	struct cell cell;

	cells_begin(&walk, &ui->layout.cells, &counts);
	while (cells_next(&walk, &cell)) {
		if (!rect_has(&cell.rect, row, column))
			continue;
		ui->device = cell.device;
		ui_list(ui);
		return;
	}
}

/* A click on a line of a menu selects it. */
static void click_menu(struct ui *ui, const struct menu *menu, int row, int column)
{
	size_t line = menu->first + (size_t)(row - menu->inside.top);

	if (!rect_has(&menu->inside, row, column) || line >= menu->count)
		return;
	ui->menu_at = line;
	ui_key(ui, KEY_ENTER);
}

/* A click on a key of the bottom line is equivalent to that key. */
static void click_key_bar(struct ui *ui, int column)
{
	struct key_place places[MAX_KEY_LABELS];
	size_t count = key_bar_place(ui->columns, ui->read_only, places);

	for (size_t i = 0; i < count; i++) {
		if (column < places[i].column || column >= places[i].column + places[i].width)
			continue;
		ui_key(ui, places[i].label->code);
		return;
	}
}

void ui_click(struct ui *ui, int row, int column)
{
	struct menu menu;

	if (ui_menu(ui, &menu))
		click_menu(ui, &menu, row, column);
	if (ui->overlay != OVERLAY_NONE)
		return;
	if (rect_has(&ui->layout.keys, row, column))
		click_key_bar(ui, column);
	else if (rect_has(&ui->layout.table, row, column))
		click_table(ui, row, column);
	else if (rect_has(&ui->layout.cells.area, row, column))
		click_cell(ui, row, column);
}

void ui_wheel(struct ui *ui, int direction)
{
	for (int i = 0; i < 3; i++)
		ui_key(ui, direction < 0 ? KEY_UP : KEY_DOWN);
}
