#include "tui/owner_menu.h"

#include "tui/actions.h"

#include <stdio.h>
#include <string.h>

static enum task_column column_of(const struct ui *ui)
{
	return ui->overlay == OVERLAY_USER ? TASK_USER : TASK_OWNER;
}

static const char *owner_at(const struct ui *ui, size_t i)
{
	const char *at = buf_text(&ui->owners);

	while (i--)
		at += strlen(at) + 1;
	return at;
}

/* Each value of the column once, in the order of the processes. */
void owner_menu_collect(struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);

	buf_reset(&ui->owners);
	ui->n_owners = 0;
	for (size_t i = 0; snapshot && i < snapshot->n_processes; i++) {
		CLEANUP_BUF struct buf text = { 0 };
		bool fresh = true;

		task_text(&text, snapshot, &snapshot->processes[i], column_of(ui));
		for (size_t k = 0; k < ui->n_owners && fresh; k++)
			fresh = strcmp(owner_at(ui, k), buf_text(&text)) != 0;
		if (!fresh)
			continue;
		buf_add(&ui->owners, buf_text(&text), text.length + 1);
		ui->n_owners += !ui->owners.failed;
	}
}

size_t owner_menu_count(const struct ui *ui)
{
	return ui->n_owners + 1;
}

void owner_menu_put(const struct ui *ui, struct buf *out, size_t line)
{
	buf_puts(out, line ? owner_at(ui, line - 1) : "all");
}

void owner_menu_key(struct ui *ui, int code)
{
	enum task_column column = column_of(ui);
	char next[sizeof(ui->filter_text)];

	if (!is_enter(code)) {
		menu_key(ui, code, owner_menu_count(ui));
		return;
	}
	overlay_close(ui);
	snprintf(next, sizeof(next), "%s", ui->filter_text);
	if (filter_replace(next, sizeof(next), column,
			   ui->menu_at ? owner_at(ui, ui->menu_at - 1) : NULL))
		ui_set_filter(ui, next);
	else
		ui_say(ui, "the filter would be too long");
}
