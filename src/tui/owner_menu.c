#include "tui/owner_menu.h"

#include <string.h>

enum process_column owner_menu_column(const struct ui *ui)
{
	return ui->overlay == OVERLAY_USER ? COL_USER : COL_OWNER;
}

static const char *owner_at(const struct ui *ui, size_t i)
{
	const char *at = buf_text(&ui->owners);

	while (i--)
		at += strlen(at) + 1;
	return at;
}

/* Collects each value of the column once, in the order of the processes. */
void owner_menu_collect(struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);
	struct process_scope scope = ui_scope(ui);

	buf_reset(&ui->owners);
	ui->n_owners = 0;
	for (size_t i = 0; snapshot && i < snapshot->n_processes; i++) {
		CLEANUP_BUF struct buf text = { 0 };
		bool fresh = true;

		process_column_text(&text, &scope, &snapshot->processes[i], owner_menu_column(ui),
				    false);
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

const char *owner_menu_value(const struct ui *ui, size_t line)
{
	return line ? owner_at(ui, line - 1) : NULL;
}
