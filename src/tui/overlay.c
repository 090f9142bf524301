#include "tui/overlay.h"

#include "tui/keys.h"
#include "tui/owner_menu.h"

#include <curses.h>
#include <stdio.h>

void overlay_open(struct ui *ui, enum overlay overlay)
{
	ui->overlay = overlay;
	ui->overlay_top = 0;
	ui->menu_at = overlay == OVERLAY_SORT ? ui->settings.order.column : 0;
	ui->prompt[0] = '\0';
	if (overlay == OVERLAY_USER || overlay == OVERLAY_OWNER)
		owner_menu_collect(ui);
	if (overlay == OVERLAY_FILTER)
		snprintf(ui->prompt, sizeof(ui->prompt), "%s", ui->filter_text);
}

void overlay_close(struct ui *ui)
{
	ui->overlay = OVERLAY_NONE;
}

bool is_enter(int code)
{
	return code == '\r' || code == '\n' || code == KEY_ENTER;
}

void menu_key(struct ui *ui, int code, size_t count)
{
	enum action action = keys_find(code);

	if (action == ACT_UP)
		ui->menu_at -= MIN(ui->menu_at, 1);
	else if (action == ACT_DOWN)
		ui->menu_at = MIN(ui->menu_at + 1, count - 1);
	else if (action == ACT_HOME)
		ui->menu_at = 0;
	else if (action == ACT_END)
		ui->menu_at = count - 1;
	else if (action == ACT_PAGE_DOWN)
		ui->menu_at = MIN(ui->menu_at + 10, count - 1);
	else if (action == ACT_PAGE_UP)
		ui->menu_at -= MIN(ui->menu_at, 10);
	else if (action == ACT_BACK || action == ACT_QUIT)
		overlay_close(ui);
}
