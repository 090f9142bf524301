#include "tui/setup.h"

#include "tui/display_actions.h"
#include "tui/overlay.h"
#include "tui/paint.h"

#include <curses.h>
#include <stdio.h>

/* The setting of a line; -1: the line is a column. */
static int setting_of(size_t line)
{
	for (size_t i = 0; i < settings_count; i++)
		if (settings_can_turn(i) && line-- == 0)
			return (int)i;
	return -1;
}

static size_t first_column(void)
{
	size_t count = 0;

	for (size_t i = 0; i < settings_count; i++)
		count += settings_can_turn(i);
	return count;
}

size_t setup_count(void)
{
	return first_column() + PROCESS_COLUMNS;
}

static void put_setting(const struct ui *ui, struct buf *out, size_t setting)
{
	CLEANUP_BUF struct buf value = { 0 };

	settings_put(&ui->settings, setting, &value);
	buf_printf(out, "%-8s %s %-11s %s  ", settings_name(setting), paint_symbol("◀", "<"),
		   buf_text(&value), paint_symbol("▶", ">"));
	settings_put_help(setting, out);
}

void setup_put(const struct ui *ui, struct buf *out, size_t line)
{
	int setting = setting_of(line);
	char heading[COLUMN_HEADING];
	enum process_column column;

	if (setting >= 0) {
		put_setting(ui, out, (size_t)setting);
		return;
	}
	column = ui->settings.columns.order[line - first_column()];
	buf_printf(out, "%-8s [%c] %-9s   %s", line == first_column() ? "columns" : "",
		   ui->settings.columns.hidden[column] ? ' ' : 'x',
		   process_column_capitals(column, heading), process_columns[column].help);
}

/* Selects the next value, or shows or hides the column. */
static void turn(struct ui *ui, int direction)
{
	int setting = setting_of(ui->menu_at);
	enum process_column column;

	if (setting >= 0) {
		settings_turn(&ui->settings, (size_t)setting, direction);
	} else {
		column = ui->settings.columns.order[ui->menu_at - first_column()];
		column_choice_show(&ui->settings.columns, column,
				   ui->settings.columns.hidden[column]);
	}
	ui_apply(ui);
}

/* Moves a column up or down in the list, which is left or right on the screen. */
static void move_column(struct ui *ui, int direction)
{
	size_t place = ui->menu_at - first_column();

	if (setting_of(ui->menu_at) >= 0 || place + (size_t)direction >= PROCESS_COLUMNS)
		return;
	column_choice_move(&ui->settings.columns, place, direction);
	ui->menu_at += (size_t)direction;
	ui_apply(ui);
}

void setup_key(struct ui *ui, int code)
{
	switch (code) {
	case KEY_LEFT: turn(ui, -1); break;
	case KEY_RIGHT:
	case ' ':
	case '\r':
	case '\n':
	case KEY_ENTER: turn(ui, 1); break;
	case KEY_F(7):
	case '[': move_column(ui, -1); break;
	case KEY_F(8):
	case ']': move_column(ui, 1); break;
	case 'I':
		ui->settings.order.down = !ui->settings.order.down;
		ui_apply(ui);
		break;
	case 'W': ui_save(ui); break;
	case KEY_F(2):
	case 'S': overlay_close(ui); break;
	default: menu_key(ui, code, setup_count()); break;
	}
}
