#include "tui/navigation.h"

#include "tui/ui_update.h"
#include "tui/view_wants.h"

void ui_select_row(struct ui *ui, size_t row)
{
	const struct process *process;

	ui->row = row;
	ui_settle(ui);
	process = ui_process(ui);
	ui->followed = process ? process_id_of(process) : (struct process_id){ 0 };
}

static bool view_has_page(enum view view)
{
	return view == VIEW_DEVICE || view == VIEW_MEMORY;
}

static void scroll_page(struct ui *ui, int by)
{
	ui->page_top = (size_t)MAX((long)ui->page_top + by, 0);
	ui_settle(ui);
}

static void move_by(size_t *position, long by, size_t count)
{
	long to = (long)*position + by;

	*position = count ? (size_t)MIN(MAX(to, 0), (long)count - 1) : 0;
}

void ui_move_device(struct ui *ui, int by)
{
	move_by(&ui->device, by, ui_counts(ui).devices);
	ui->page_top = 0;
	ui_list(ui); /* in the memory view that of the device */
}

void ui_move_vertically(struct ui *ui, int by)
{
	if (ui->settings.view == VIEW_GRID) {
		ui_move_device(ui, by * (int)MAX(ui->layout.cells.per_line, 1));
	} else if (ui->settings.view == VIEW_DEVICE) {
		scroll_page(ui, by);
	} else {
		size_t row = ui->row;

		move_by(&row, by, ui->list.count);
		ui_select_row(ui, row);
	}
}

void ui_move_page(struct ui *ui, int direction)
{
	bool text = view_has_page(ui->settings.view);
	int page = text ? ui->layout.page.height - 1 : (int)ui_table_rows(ui);

	if (text) {
		scroll_page(ui, direction * MAX(page, 1));
		return;
	}
	ui_move_vertically(ui, direction * (ui->settings.view == VIEW_GRID ? 4 : MAX(page, 1)));
}

void ui_move_to_end(struct ui *ui, int direction)
{
	enum { FAR = 1000000 };

	if (ui->settings.view == VIEW_GRID)
		ui_move_device(ui, direction * FAR);
	else
		ui_move_vertically(ui, direction * FAR);
}

void ui_go_to_view(struct ui *ui, int view)
{
	struct want want = { 0 };

	if (ui->settings.view != VIEW_DEVICE)
		ui->view_before = ui->settings.view;
	ui->settings.view = (enum view)view;
	ui->page_top = 0;
	view_wants(ui->settings.view, &want);
	/* These views need fields that the waiting samples do not have. */
	if (feed_set_want(ui->feed, &want) && ui->paused && view_has_page(ui->settings.view)) {
		while (ui->n_waiting)
			frame_unref(ui_take_waiting(ui));
		ui->stepping = true;
	}
	ui_list(ui);
}

void ui_turn_view(struct ui *ui, int direction)
{
	ui_go_to_view(ui, ((int)ui->settings.view + VIEW_N + direction) % VIEW_N);
}

void ui_go_back(struct ui *ui)
{
	if (ui->settings.view == VIEW_DEVICE) {
		ui_go_to_view(ui, (int)ui->view_before);
		return;
	}
	ui->filter = (struct filter){ 0 };
	ui->filter_text[0] = '\0';
	ui->back_ns = 0;
	ui_list(ui);
}
