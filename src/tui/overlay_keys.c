#include "tui/overlay_keys.h"

#include "tui/keys.h"
#include "tui/list_actions.h"
#include "tui/overlay.h"
#include "tui/owner_menu.h"
#include "tui/setup.h"
#include "tui/ui_update.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

/* ---- prompts ---- */

/* Multi-byte characters arrive byte by byte. */
static void type(char *text, size_t size, int code)
{
	size_t length = strlen(text);

	if (code == KEY_BACKSPACE || code == 127 || code == 8) {
		while (length && ((unsigned char)text[length - 1] & 0xC0) == 0x80)
			length--;
		text[length ? length - 1 : 0] = '\0';
	} else if (code == ('U' & 0x1f)) {
		text[0] = '\0';
	} else if (code >= ' ' && code < 256 && code != 127 && length + 1 < size) {
		text[length] = (char)code;
		text[length + 1] = '\0';
	}
}

/* Searches while typing. */
static void search_key(struct ui *ui, int code)
{
	if (code == 27 || is_enter(code)) {
		overlay_close(ui);
		return;
	}
	type(ui->prompt, sizeof(ui->prompt), code);
	memcpy(ui->search_text, ui->prompt, sizeof(ui->search_text));
	ui_search(ui, ui->row, true);
}

static void filter_key(struct ui *ui, int code)
{
	if (code == 27) {
		overlay_close(ui);
		return;
	}
	if (!is_enter(code)) {
		type(ui->prompt, sizeof(ui->prompt), code);
		return;
	}
	if (ui_set_filter(ui, ui->prompt))
		overlay_close(ui);
}

/* ---- menus and the confirmation ---- */

static void sort_key(struct ui *ui, int code)
{
	if (!is_enter(code)) {
		menu_key(ui, code, PROCESS_COLUMNS);
		return;
	}
	overlay_close(ui);
	process_order_choose(&ui->settings.order, (enum process_column)ui->menu_at);
	ui_list(ui);
}

static void owner_key(struct ui *ui, int code)
{
	enum process_column column = owner_menu_column(ui);
	char next[sizeof(ui->filter_text)];

	if (!is_enter(code)) {
		menu_key(ui, code, owner_menu_count(ui));
		return;
	}
	overlay_close(ui);
	snprintf(next, sizeof(next), "%s", ui->filter_text);
	if (filter_replace(next, sizeof(next), column, owner_menu_value(ui, ui->menu_at)))
		ui_set_filter(ui, next);
	else
		ui_show_message(ui, "the filter would be too long");
}

static void signal_key(struct ui *ui, int code)
{
	if (!is_enter(code)) {
		menu_key(ui, code, ui_n_signals);
		return;
	}
	ui->signal = ui_signals[ui->menu_at];
	ui->overlay = OVERLAY_CONFIRM;
}

/* Only y sends the signal. */
static void confirm_key(struct ui *ui, int code)
{
	const struct ui_task task = { .kind = UI_TASK_SIGNAL,
				      .signal = ui->signal,
				      .targets = ui->targets,
				      .n_targets = ui->n_targets };

	overlay_close(ui);
	if (code != 'y' && code != 'Y')
		return;
	if (!ui_submit(ui, &task))
		return;
	ui->targets = NULL;
	ui->n_targets = 0;
	feed_sample_now(ui->feed);
}

/* ---- texts ---- */

static void text_key(struct ui *ui, int code)
{
	size_t page = (size_t)MAX(ui->rows - 4, 1);
	enum action action = keys_find(code);

	if (action == ACT_UP)
		ui->overlay_top -= ui->overlay_top > 0;
	else if (action == ACT_DOWN)
		ui->overlay_top++;
	else if (action == ACT_PAGE_DOWN || code == ' ')
		ui->overlay_top += page;
	else if (action == ACT_PAGE_UP)
		ui->overlay_top -= MIN(ui->overlay_top, page);
	else if (action == ACT_HOME)
		ui->overlay_top = 0;
	else if (action == ACT_END)
		ui->overlay_top = SIZE_MAX / 2;
	else if (action == ACT_BACK || action == ACT_QUIT || action == ACT_HELP ||
		 action == ACT_ENTER)
		overlay_close(ui);
	ui_settle(ui);
}

void overlay_key(struct ui *ui, int code)
{
	switch (ui->overlay) {
	case OVERLAY_SEARCH: search_key(ui, code); break;
	case OVERLAY_FILTER: filter_key(ui, code); break;
	case OVERLAY_SORT: sort_key(ui, code); break;
	case OVERLAY_USER:
	case OVERLAY_OWNER: owner_key(ui, code); break;
	case OVERLAY_SIGNAL: signal_key(ui, code); break;
	case OVERLAY_SETUP: setup_key(ui, code); break;
	case OVERLAY_CONFIRM: confirm_key(ui, code); break;
	case OVERLAY_HELP:
	case OVERLAY_DETAIL: text_key(ui, code); break;
	case OVERLAY_NONE: break;
	}
}
