#include "tui/process_actions.h"

#include "tui/navigation.h"
#include "tui/overlay.h"

#include <string.h>

static const char no_process[] = "no process is selected: 3 lists them";

/* Opens the page of the selected process, scrolled to the anchor; NULL: to the top. */
static void open_process(struct ui *ui, const char *anchor)
{
	const struct process *process = ui_process(ui);

	if (!process) {
		ui_show_message(ui, "%s", no_process);
		return;
	}
	ui->detail_pid = process->pid;
	ui->detail_anchor = anchor;
	buf_reset(&ui->detail);
	(void)ui_submit(ui, &(struct ui_task){ .kind = UI_TASK_INSPECT, .pid = process->pid });
	overlay_open(ui, OVERLAY_DETAIL);
}

void ui_open_environment(struct ui *ui)
{
	open_process(ui, "Environment");
}

void ui_open_files(struct ui *ui)
{
	open_process(ui, "Open device files");
}

void ui_open_selected(struct ui *ui)
{
	if (ui_process(ui))
		open_process(ui, NULL);
	else
		ui_go_to_view(ui, VIEW_DEVICE);
}

static void tag(struct ui *ui, const struct process *process)
{
	struct process_id *grown = reallocarray(ui->tagged, ui->n_tagged + 1, sizeof(*grown));

	ui->tagged = grown ? grown : ui->tagged;
	if (grown && process->pid > 0 && !ui_is_tagged(ui, process))
		grown[ui->n_tagged++] = process_id_of(process);
}

static void untag(struct ui *ui, int32_t pid)
{
	for (size_t i = 0; i < ui->n_tagged; i++)
		if (ui->tagged[i].pid == pid)
			ui->tagged[i--] = ui->tagged[--ui->n_tagged];
}

void ui_untag_all(struct ui *ui)
{
	ui->n_tagged = 0;
}

void ui_toggle_tag(struct ui *ui)
{
	const struct process *process = ui_process(ui);

	if (!process)
		return;
	if (ui_is_tagged(ui, process))
		untag(ui, process->pid);
	else
		tag(ui, process);
	ui_move_vertically(ui, 1);
}

/* Tags children of tagged processes, repeatedly, until there are no more. */
void ui_tag_children(struct ui *ui)
{
	const struct process *process = ui_process(ui);
	size_t before;

	if (!process)
		return;
	tag(ui, process);
	do {
		before = ui->n_tagged;
		for (size_t i = 0; i < ui->list.count; i++) {
			const struct process *other = ui->list.rows[i].process, *above = NULL;

			if (other->parent > 0)
				above = snapshot_find_process(ui_snapshot(ui), other->parent);
			if (above && ui_is_tagged(ui, above))
				tag(ui, other);
		}
	} while (ui->n_tagged > before);
}

void ui_toggle_follow(struct ui *ui)
{
	const struct process *process = ui_process(ui);

	if (ui->follow) {
		ui->follow = false;
		ui_show_message(ui, "not following any more");
	} else if (process) {
		ui->follow = true;
		ui->followed = process_id_of(process);
		ui_show_message(ui, "following %d", process->pid);
	} else {
		ui_show_message(ui, "%s", no_process);
	}
}

/* The tagged processes, or else the selected one. */
static bool choose_targets(struct ui *ui, const struct process *process)
{
	struct process_id selected = process_id_of(process);
	size_t n = ui->n_tagged ? ui->n_tagged : 1;

	free(ui->targets);
	ui->n_targets = 0;
	ui->targets = calloc(n, sizeof(*ui->targets));
	if (!ui->targets)
		return false;
	memcpy(ui->targets, ui->n_tagged ? ui->tagged : &selected, n * sizeof(selected));
	ui->n_targets = n;
	return true;
}

void ui_open_signals(struct ui *ui)
{
	const struct process *process = ui_process(ui);

	if (ui->read_only)
		ui_show_message(ui, "no signals: this is --read-only");
	else if (!process)
		ui_show_message(ui, "%s", no_process);
	else if (!ui->n_tagged && process->pid <= 0)
		ui_show_message(ui, "this process cannot be reached from here");
	else if (choose_targets(ui, process))
		overlay_open(ui, OVERLAY_SIGNAL);
	else
		ui_show_message(ui, "out of memory");
}
