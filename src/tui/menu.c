#include "tui/menu.h"

#include "basic/text.h"
#include "tui/owner_menu.h"
#include "tui/setup.h"

#include <signal.h>
#include <string.h>

static void put_column(const struct ui *ui, struct buf *out, size_t line)
{
	char heading[COLUMN_HEADING];

	(void)ui;
	buf_printf(out, "%-8s %s", process_column_capitals((enum process_column)line, heading),
		   process_columns[line].help);
}

static void put_signal(const struct ui *ui, struct buf *out, size_t line)
{
	(void)ui;
	buf_printf(out, "%2d SIG%s", ui_signals[line], sigabbrev_np(ui_signals[line]));
}

/* Width of its widest line, at least LEAST. */
static int find_width(const struct ui *ui, const struct menu *menu)
{
	enum { LEAST = 44, SIGN = 2 };
	CLEANUP_BUF struct buf text = { 0 };
	int widest = LEAST;

	for (size_t i = 0; i < menu->count; i++) {
		buf_reset(&text);
		menu->put(ui, &text, i);
		widest = MAX(widest, SIGN + (int)text_width(buf_text(&text), text.length));
	}
	return widest;
}

/* Determines the position of the menu and its visible lines. */
static bool place(const struct ui *ui, struct menu *menu)
{
	const struct rect screen = { 1, 0, ui->rows - 2, ui->columns };
	int width = find_width(ui, menu);
	size_t room;

	menu->box = box_outside(&screen, (int)menu->count, width);
	menu->inside = box_inside(&menu->box);
	room = (size_t)menu->inside.height;
	menu->first = room && ui->menu_at >= room ? ui->menu_at - room + 1 : 0;
	return true;
}

bool ui_menu(const struct ui *ui, struct menu *ret)
{
	switch (ui->overlay) {
	case OVERLAY_SORT:
		*ret = (struct menu){ .title = "Sort by",
				      .count = PROCESS_COLUMNS,
				      .put = put_column };
		return place(ui, ret);
	case OVERLAY_USER:
	case OVERLAY_OWNER:
		*ret = (struct menu){ .title = ui->overlay == OVERLAY_USER ? "Only of user"
									   : "Only of owner",
				      .count = owner_menu_count(ui),
				      .put = owner_menu_put };
		return place(ui, ret);
	case OVERLAY_SIGNAL:
		*ret = (struct menu){ .title = "Signal", .count = ui_n_signals, .put = put_signal };
		return place(ui, ret);
	case OVERLAY_SETUP:
		*ret = (struct menu){ .title = "Setup", .count = setup_count(), .put = setup_put };
		return place(ui, ret);
	case OVERLAY_NONE:
	case OVERLAY_SEARCH:
	case OVERLAY_FILTER:
	case OVERLAY_CONFIRM:
	case OVERLAY_HELP:
	case OVERLAY_DETAIL: break;
	}
	return false;
}
