#include "tui/actions.h"

#include "basic/clock.h"
#include "tui/terminal.h"
#include "tui/theme.h"
#include "tui/tui.h"

#include <stdio.h>
#include <string.h>

void ui_select_row(struct ui *ui, size_t row)
{
	const struct process *process;

	ui->row = row;
	ui_settle(ui);
	process = ui_process(ui);
	ui->followed = process ? process->pid : 0;
}

/* ---- moving ---- */

static bool view_has_page(enum view view)
{
	return view == VIEW_DEVICE || view == VIEW_MEMORY;
}

static void move_by(size_t *position, long by, size_t count)
{
	long to = (long)*position + by;

	*position = count ? (size_t)MIN(MAX(to, 0), (long)count - 1) : 0;
}

static void move_device(struct ui *ui, long by)
{
	move_by(&ui->device, by, ui_counts(ui).devices);
	ui->page_top = 0;
	ui_settle(ui);
}

/* Up and down: chips of the grid, lines of a text, or processes. */
static void move_vertically(struct ui *ui, long by)
{
	if (ui->settings.view == VIEW_GRID) {
		move_device(ui, by * (long)MAX(ui->layout.cells.per_line, 1));
	} else if (view_has_page(ui->settings.view)) {
		ui->page_top = (size_t)MAX((long)ui->page_top + by, 0);
		ui_settle(ui);
	} else {
		size_t row = ui->row;

		move_by(&row, by, ui->tasks.count);
		ui_select_row(ui, row);
	}
}

static void move_page(struct ui *ui, long direction)
{
	long page =
		view_has_page(ui->settings.view) ? ui->layout.page.height : (long)ui_table_rows(ui);

	move_vertically(ui, direction * (ui->settings.view == VIEW_GRID ? 4 : MAX(page, 1)));
}

static void move_to_end(struct ui *ui, bool last)
{
	if (ui->settings.view == VIEW_GRID)
		move_device(ui, last ? 1000000 : -1000000);
	else
		move_vertically(ui, last ? 1000000 : -1000000);
}

static void go_to_view(struct ui *ui, enum view view)
{
	struct want want = { 0 };

	ui->settings.view = view;
	ui->page_top = 0;
	view_wants(view, &want);
	feed_set_want(ui->feed, &want);
	ui_settle(ui);
}

static const char no_process[] = "no process is selected: 3 lists them";

/* All about the selected process, from the line that begins so; NULL: from the top. */
static void open_process(struct ui *ui, const char *anchor)
{
	const struct process *process = ui_process(ui);

	if (!process) {
		ui_say(ui, "%s", no_process);
		return;
	}
	ui->detail_pid = process->pid;
	ui->detail_anchor = anchor;
	buf_reset(&ui->detail);
	if (!feed_ask(ui->feed, &(struct errand){ .kind = ERRAND_INSPECT, .pid = process->pid }))
		ui_say(ui, "too much is being asked");
	overlay_open(ui, OVERLAY_DETAIL);
}

static void open_selected(struct ui *ui)
{
	if (ui_process(ui))
		open_process(ui, NULL);
	else
		go_to_view(ui, VIEW_DEVICE);
}

static void go_back(struct ui *ui)
{
	ui->filter = (struct filter){ 0 };
	ui->filter_text[0] = '\0';
	ui->back_ns = 0;
	ui_list(ui);
}

bool ui_set_filter(struct ui *ui, const char *text)
{
	char problem[128];

	if (filter_parse(&ui->filter, text, problem, sizeof(problem)) < 0) {
		ui_say(ui, "%s", problem);
		return false;
	}
	if (text != ui->filter_text)
		snprintf(ui->filter_text, sizeof(ui->filter_text), "%s", text);
	ui_list(ui);
	return true;
}

/* Only those on the selected device; once more takes that away. */
static void isolate(struct ui *ui)
{
	const struct device *dev = ui_device(ui, ui->device);
	char next[sizeof(ui->filter_text)];

	if (!dev)
		return;
	snprintf(next, sizeof(next), "%s", ui->filter_text);
	if (filter_replace(next, sizeof(next), TASK_DEVICES, dev->id) &&
	    strcmp(next, ui->filter_text) == 0 &&
	    !filter_replace(next, sizeof(next), TASK_DEVICES, NULL))
		return;
	ui_set_filter(ui, next);
}

/* ---- processes ---- */

void ui_search(struct ui *ui, size_t from, bool forward)
{
	long at;

	if (!ui->search_text[0] || !ui->tasks.count)
		return;
	at = tasks_search(&ui->tasks, ui_snapshot(ui), ui->search_text, from % ui->tasks.count,
			  forward);
	if (at >= 0)
		ui_select_row(ui, (size_t)at);
	else
		ui_say(ui, "not found: %s", ui->search_text);
}

static void sort_by(struct ui *ui, enum task_column column)
{
	task_order_choose(&ui->settings.order, column);
	ui_list(ui);
}

/* The neighbour among the columns that are shown. */
static void sort_by_neighbour(struct ui *ui, int direction)
{
	const struct settings *settings = &ui->settings;
	int widths[TASK_N], place = 0;

	table_plan(ui, ui->columns, widths);
	while (settings->columns[place] != settings->order.column)
		place++;
	do
		place += direction;
	while (place >= 0 && place < TASK_N && widths[settings->columns[place]] == 0);
	if (place >= 0 && place < TASK_N)
		sort_by(ui, settings->columns[place]);
}

static void tag(struct ui *ui, const struct process *process)
{
	struct target *grown = reallocarray(ui->tagged, ui->n_tagged + 1, sizeof(*grown));

	ui->tagged = grown ? grown : ui->tagged;
	if (grown && process->pid > 0 && !ui_is_tagged(ui, process))
		grown[ui->n_tagged++] = (struct target){ process->pid, process->start_ticks };
}

static void untag(struct ui *ui, int32_t pid)
{
	for (size_t i = 0; i < ui->n_tagged; i++)
		if (ui->tagged[i].pid == pid)
			ui->tagged[i--] = ui->tagged[--ui->n_tagged];
}

static void toggle_tag(struct ui *ui)
{
	const struct process *process = ui_process(ui);

	if (!process)
		return;
	if (ui_is_tagged(ui, process))
		untag(ui, process->pid);
	else
		tag(ui, process);
	move_vertically(ui, 1);
}

/* Those whose parent is tagged, until there are no more. */
static void tag_children(struct ui *ui)
{
	const struct process *process = ui_process(ui);
	size_t before;

	if (!process)
		return;
	tag(ui, process);
	do {
		before = ui->n_tagged;
		for (size_t i = 0; i < ui->tasks.count; i++) {
			const struct process *other = ui->tasks.rows[i].process, *above = NULL;

			if (other->parent > 0)
				above = snapshot_find_process(ui_snapshot(ui), other->parent);
			if (above && ui_is_tagged(ui, above))
				tag(ui, other);
		}
	} while (ui->n_tagged > before);
}

static void toggle_follow(struct ui *ui)
{
	const struct process *process = ui_process(ui);

	ui->follow = !ui->follow && process;
	ui->followed = process ? process->pid : 0;
	if (ui->follow)
		ui_say(ui, "following %d", ui->followed);
	else
		ui_say(ui, "not following any more");
}

/* The tagged ones, or else the selected one, as they are now. */
static bool choose_targets(struct ui *ui, const struct process *process)
{
	struct target selected = { process->pid, process->start_ticks };
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

static void open_signals(struct ui *ui)
{
	const struct process *process = ui_process(ui);

	if (ui->read_only)
		ui_say(ui, "no signals: this is --read-only");
	else if (!process)
		ui_say(ui, "%s", no_process);
	else if (!ui->n_tagged && process->pid <= 0)
		ui_say(ui, "this process cannot be reached from here");
	else if (choose_targets(ui, process))
		overlay_open(ui, OVERLAY_SIGNAL);
	else
		ui_say(ui, "out of memory");
}

/* ---- charts and time ---- */

/* By so many halves of what the charts show; never beyond the hour that is kept. */
static void scroll_time(struct ui *ui, int direction)
{
	enum { HOUR_S = 3600 };
	int64_t span = settings_spans[ui->settings.span] * NS_PER_S;

	ui->back_ns += direction * span / 2;
	ui->back_ns = MIN(MAX(ui->back_ns, 0), HOUR_S * NS_PER_S - span);
}

static void zoom(struct ui *ui, int by)
{
	ui->settings.span = (unsigned)MIN(MAX((int)ui->settings.span + by, 0), N_SPANS - 1);
	scroll_time(ui, 0);
}

/* The sample after the one shown; if there is none yet, the next to come, and at once. */
static void step(struct ui *ui)
{
	if (!ui->paused)
		return;
	if (ui->n_waiting) {
		ui_show(ui, ui_take_waiting(ui));
		return;
	}
	ui->stepping = true;
	feed_hurry(ui->feed);
}

static void toggle_pause(struct ui *ui)
{
	ui->paused = !ui->paused;
	while (ui->n_waiting > 1)
		frame_unref(ui_take_waiting(ui));
	if (ui->n_waiting)
		ui_show(ui, ui_take_waiting(ui));
}

static void change_pace(struct ui *ui, int direction)
{
	ui->settings.refresh_ms = settings_next_refresh(ui->settings.refresh_ms, direction);
	feed_set_period(ui->feed, ui->settings.refresh_ms);
}

static void change_theme(struct ui *ui)
{
	ui->settings.theme++;
	if (!theme_name(ui->settings.theme))
		ui->settings.theme = 0;
	ui_apply(ui);
	ui_say(ui, "theme %s", theme_name(ui->settings.theme));
}

static void change_charts(struct ui *ui)
{
	ui->settings.charts_of_devices = !ui->settings.charts_of_devices;
	ui_settle(ui);
}

void ui_apply(struct ui *ui)
{
	theme_apply(ui->settings.theme, ui->color);
	format_set_units(ui->settings.units);
	ui_set_filter(ui, ui->filter_text); /* amounts in it are in these units */
	terminal_set_mouse(ui->settings.mouse);
	feed_set_period(ui->feed, ui->settings.refresh_ms);
	go_to_view(ui, ui->settings.view);
	scroll_time(ui, 0);
}

void ui_save(struct ui *ui)
{
	const struct errand errand = { .kind = ERRAND_SAVE, .settings = ui->kept };

	if (!feed_ask(ui->feed, &errand))
		ui_say(ui, "too much is being asked");
}

/* ---- */

static void act(struct ui *ui, enum action action)
{
	switch (action) {
	case ACT_OVERVIEW:
	case ACT_GRID:
	case ACT_PROCESSES:
	case ACT_MEMORY:
	case ACT_DEVICE: go_to_view(ui, (enum view)(action - ACT_OVERVIEW)); break;
	case ACT_NEXT_VIEW: go_to_view(ui, (enum view)((ui->settings.view + 1) % VIEW_N)); break;
	case ACT_PREVIOUS_VIEW:
		go_to_view(ui, (enum view)((ui->settings.view + VIEW_N - 1) % VIEW_N));
		break;
	case ACT_UP: move_vertically(ui, -1); break;
	case ACT_DOWN: move_vertically(ui, 1); break;
	case ACT_LEFT: move_device(ui, -1); break;
	case ACT_RIGHT: move_device(ui, 1); break;
	case ACT_PAGE_UP: move_page(ui, -1); break;
	case ACT_PAGE_DOWN: move_page(ui, 1); break;
	case ACT_HOME: move_to_end(ui, false); break;
	case ACT_END: move_to_end(ui, true); break;
	case ACT_ENTER: open_selected(ui); break;
	case ACT_BACK: go_back(ui); break;
	case ACT_SEARCH: overlay_open(ui, OVERLAY_SEARCH); break;
	case ACT_SEARCH_NEXT: ui_search(ui, ui->row + 1, true); break;
	case ACT_SEARCH_PREVIOUS: ui_search(ui, ui->row + ui->tasks.count - 1, false); break;
	case ACT_FILTER: overlay_open(ui, OVERLAY_FILTER); break;
	case ACT_USER: overlay_open(ui, OVERLAY_USER); break;
	case ACT_OWNER: overlay_open(ui, OVERLAY_OWNER); break;
	case ACT_ISOLATE: isolate(ui); break;
	case ACT_TREE:
		ui->settings.order.tree = !ui->settings.order.tree;
		ui_list(ui);
		break;
	case ACT_SORT_MENU: overlay_open(ui, OVERLAY_SORT); break;
	case ACT_SORT_LEFT: sort_by_neighbour(ui, -1); break;
	case ACT_SORT_RIGHT: sort_by_neighbour(ui, 1); break;
	case ACT_INVERT: sort_by(ui, ui->settings.order.column); break;
	case ACT_SORT_PID: sort_by(ui, TASK_PID); break;
	case ACT_SORT_CPU: sort_by(ui, TASK_CPU); break;
	case ACT_SORT_DRAM: sort_by(ui, TASK_DRAM); break;
	case ACT_SORT_L1: sort_by(ui, TASK_L1); break;
	case ACT_SORT_TIME: sort_by(ui, TASK_TIME); break;
	case ACT_FOLLOW: toggle_follow(ui); break;
	case ACT_TAG: toggle_tag(ui); break;
	case ACT_TAG_CHILDREN: tag_children(ui); break;
	case ACT_UNTAG: ui->n_tagged = 0; break;
	case ACT_SIGNAL: open_signals(ui); break;
	case ACT_ENVIRONMENT: open_process(ui, "Environment"); break;
	case ACT_FILES: open_process(ui, "Open device files"); break;
	case ACT_METRIC:
		ui->settings.metric = (enum metric)((ui->settings.metric + 1) % METRIC_N);
		break;
	case ACT_CHARTS: change_charts(ui); break;
	case ACT_ZOOM_IN: zoom(ui, -1); break;
	case ACT_ZOOM_OUT: zoom(ui, 1); break;
	case ACT_EARLIER: scroll_time(ui, 1); break;
	case ACT_LATER: scroll_time(ui, -1); break;
	case ACT_PAUSE: toggle_pause(ui); break;
	case ACT_STEP: step(ui); break;
	case ACT_SLOWER: change_pace(ui, 1); break;
	case ACT_FASTER: change_pace(ui, -1); break;
	case ACT_THEME: change_theme(ui); break;
	case ACT_SETUP: overlay_open(ui, OVERLAY_SETUP); break;
	case ACT_SAVE: ui_save(ui); break;
	case ACT_REDRAW: ui->redraw = true; break;
	case ACT_HELP: overlay_open(ui, OVERLAY_HELP); break;
	case ACT_QUIT: ui->quit = true; break;
	case ACT_NONE: break;
	}
}

void ui_key(struct ui *ui, int code)
{
	if (ui->overlay != OVERLAY_NONE)
		overlay_key(ui, code);
	else
		act(ui, keys_find(code));
}
