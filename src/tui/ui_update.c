#include "tui/ui_update.h"

#include "basic/clock.h"
#include "tui/page.h"
#include "tui/view_wants.h"

#include <string.h>

/* The first visible item, such that the selected one is visible. */
static size_t scroll(size_t first, size_t selected, size_t room, size_t count)
{
	if (room == 0 || selected < first)
		first = selected;
	else if (selected >= first + room)
		first = selected - room + 1;
	return count > room ? MIN(first, count - room) : 0;
}

/* Scrolls line by line until the selected device is visible. */
static void lay_out(struct ui *ui)
{
	struct counts counts = ui_counts(ui);
	const struct cells *cells = &ui->layout.cells;
	CLEANUP_BUF struct buf text = { 0 };

	counts.first = MIN(ui->first_device, ui->device);
	if (ui->settings.view == VIEW_MEMORY) {
		page_of_view(ui, &text);
		counts.lines = page_lines(&text);
	}
	for (;;) {
		layout_make(&ui->layout, ui->settings.view, ui->rows, ui->columns, &counts);
		if (cells->form == FORM_NONE || cells->shown == 0 ||
		    ui->device < cells->first + cells->shown || counts.first >= ui->device)
			break;
		counts.first = cells->first + cells->per_line;
	}
	ui->first_device = cells->first;
}

/* Limits scroll positions to the last line. */
static void limit_pages(struct ui *ui)
{
	CLEANUP_BUF struct buf text = { 0 };
	bool over = ui->overlay == OVERLAY_HELP || ui->overlay == OVERLAY_DETAIL;
	size_t *top = over ? &ui->overlay_top : &ui->page_top;
	size_t room = over ? (size_t)(overlay_rows(ui) * overlay_columns(ui))
			   : (size_t)MAX((ui->layout.page.height - 1) * ui->layout.page_columns, 1);
	size_t lines;

	if (*top == 0)
		return;
	if (over)
		page_of_overlay(ui, &text);
	else
		page_of_view(ui, &text);
	lines = page_lines(&text);
	*top = MIN(*top, lines > room ? lines - room : 0);
}

static void limit_device(struct ui *ui)
{
	size_t devices = ui_counts(ui).devices;

	if (ui->device >= devices)
		ui->device = devices ? devices - 1 : 0;
}

void ui_settle(struct ui *ui)
{
	if (ui->row >= ui->list.count)
		ui->row = ui->list.count ? ui->list.count - 1 : 0;
	limit_device(ui);
	lay_out(ui);
	limit_pages(ui);
	ui->first_row = scroll(ui->first_row, ui->row, ui_table_rows(ui), ui->list.count);
}

/* Selects the followed process; stops following when it has exited. */
static void follow(struct ui *ui, const struct snapshot *snapshot)
{
	const struct process *process = snapshot_find_process(snapshot, ui->followed.pid);
	long at = process_list_find(&ui->list, ui->followed.pid);

	if (!process || !process_id_matches(&ui->followed, process)) {
		ui->follow = false;
		ui_show_message(ui, "%d has exited: not following any more", ui->followed.pid);
	} else if (at >= 0) {
		ui->row = (size_t)at;
	}
}

void ui_list(struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);
	struct process_scope scope;

	limit_device(ui);
	scope = ui_scope(ui);
	process_list_done(&ui->list);
	if (snapshot && process_list_make(&ui->list, &scope, &ui->filter, &ui->settings.order) < 0)
		ui_show_message(ui, "out of memory");
	if (ui->follow && snapshot)
		follow(ui, snapshot);
	ui_settle(ui);
}

/* Drops the tags of processes that have exited. */
static void drop_tags(struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);
	size_t kept = 0;

	for (size_t i = 0; snapshot && i < ui->n_tagged; i++) {
		const struct process *process = snapshot_find_process(snapshot, ui->tagged[i].pid);

		if (process && process_id_matches(&ui->tagged[i], process))
			ui->tagged[kept++] = ui->tagged[i];
	}
	ui->n_tagged = kept;
}

/* The list points into the frame that is replaced. */
void ui_show(struct ui *ui, struct frame *frame)
{
	process_list_done(&ui->list);
	frame_unref(ui->frame);
	ui->frame = frame;
	ui->device_view.n_groups = 0;
	if (frame->snapshot && device_view_update(&ui->device_view, frame->snapshot) < 0)
		ui_show_message(ui, "out of memory");
	drop_tags(ui);
	ui_list(ui);
}

static size_t frame_bytes(const struct frame *frame)
{
	return frame->snapshot ? snapshot_bytes(frame->snapshot) : 0;
}

/* Bounds the memory of a pause of any length: these frames and the newest sample. */
static void keep_waiting(struct ui *ui, struct frame *frame)
{
	enum { MOST_BYTES = 512 << 10 };
	size_t bytes = frame_bytes(frame);

	for (size_t i = 0; i < ui->n_waiting; i++)
		bytes += frame_bytes(ui->waiting[i]);
	while (ui->n_waiting && (ui->n_waiting == MAX_WAITING || bytes > MOST_BYTES)) {
		bytes -= frame_bytes(ui->waiting[--ui->n_waiting]);
		frame_unref(ui->waiting[ui->n_waiting]);
	}
	ui->waiting[ui->n_waiting++] = frame;
}

/* A sample may have been in progress when the view was changed. */
static bool is_for_view(const struct want *wanted, enum view view)
{
	struct want want = { 0 };

	view_wants(view, &want);
	return memcmp(wanted, &want, sizeof(want)) == 0;
}

void ui_take_frame(struct ui *ui, struct frame *frame)
{
	const struct want wanted = frame->want;
	/* If the next sample is late by more than one period, charts have a gap. */
	int64_t hold_ns = 2 * ui->settings.refresh_ms * NS_PER_MS;

	if (frame->snapshot) {
		if (history_add(ui->history, frame->snapshot, hold_ns) < 0)
			ui_show_message(ui, "out of memory");
	}
	if (!ui->paused || !ui->frame || ui->stepping)
		ui_show(ui, frame);
	else
		keep_waiting(ui, frame);
	ui->stepping = ui->stepping && !is_for_view(&wanted, ui->settings.view);
}

struct frame *ui_take_waiting(struct ui *ui)
{
	struct frame *frame = ui->waiting[0];

	ui->n_waiting--;
	memmove(ui->waiting, ui->waiting + 1, ui->n_waiting * sizeof(ui->waiting[0]));
	return frame;
}

void ui_take_results(struct ui *ui)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (feed_result(ui->feed, UI_TASK_SIGNAL, &text) ||
	    feed_result(ui->feed, UI_TASK_SAVE, &text))
		ui_show_message(ui, "%s", buf_text(&text));
	if (feed_inspection(ui->feed, ui->detail_pid, &ui->detail))
		page_go_to(ui, ui->detail_anchor);
	ui_settle(ui);
}

void ui_resize(struct ui *ui, int rows, int columns)
{
	ui->rows = rows;
	ui->columns = columns;
	ui->redraw = true;
	ui_settle(ui);
}
