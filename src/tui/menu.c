/* Menus over the view: what is in them and where they stand. */
#include "tui/picks.h"
#include "tui/setup.h"

#include <signal.h>

static void put_column(const struct ui *ui, struct buf *out, size_t line)
{
	(void)ui;
	buf_printf(out, "%-8s %s", task_infos[line].heading, task_infos[line].help);
}

static void put_signal(const struct ui *ui, struct buf *out, size_t line)
{
	(void)ui;
	buf_printf(out, "%2d SIG%s", ui_signals[line], sigabbrev_np(ui_signals[line]));
}

/* Settles where the menu stands and which of its lines are shown. */
static bool place(const struct ui *ui, struct menu *menu, int width)
{
	const struct rect screen = { 1, 0, ui->rows - 2, ui->columns };
	size_t room;

	menu->box = box_outside(&screen, (int)menu->count, width);
	menu->inside = box_inside(&menu->box);
	room = (size_t)menu->inside.height;
	menu->first = room && ui->menu_at >= room ? ui->menu_at - room + 1 : 0;
	return true;
}

bool ui_menu(const struct ui *ui, struct menu *ret)
{
	enum { NARROW = 44, WIDE = 100 };

	switch (ui->overlay) {
	case OVERLAY_SORT:
		*ret = (struct menu){ .title = "Sort by", .count = TASK_N, .put = put_column };
		return place(ui, ret, NARROW);
	case OVERLAY_USER:
	case OVERLAY_OWNER:
		*ret = (struct menu){ .title = ui->overlay == OVERLAY_USER ? "Only of user"
									   : "Only of owner",
				      .count = picks_count(ui),
				      .put = picks_put };
		return place(ui, ret, NARROW);
	case OVERLAY_SIGNAL:
		*ret = (struct menu){ .title = "Signal", .count = ui_n_signals, .put = put_signal };
		return place(ui, ret, NARROW);
	case OVERLAY_SETUP:
		*ret = (struct menu){ .title = "Setup", .count = setup_count(), .put = setup_put };
		return place(ui, ret, WIDE);
	case OVERLAY_NONE:
	case OVERLAY_SEARCH:
	case OVERLAY_FILTER:
	case OVERLAY_CONFIRM:
	case OVERLAY_HELP:
	case OVERLAY_DETAIL: break;
	}
	return false;
}
