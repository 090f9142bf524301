#include "tui/actions.h"

#include "basic/clock.h"
#include "tui/terminal.h"
#include "tui/theme.h"
#include "tui/tui.h"

#include <stdio.h>
#include <string.h>

static struct process_id process_id_of(const struct process *process)
{
	return (struct process_id){ process->pid, process->start_ticks };
}

void ui_select_row(struct ui *ui, size_t row)
{
	const struct process *process;

	ui->row = row;
	ui_settle(ui);
	process = ui_process(ui);
	ui->followed = process ? process_id_of(process) : (struct process_id){ 0 };
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

static void move_device(struct ui *ui, int by)
{
	move_by(&ui->device, by, ui_counts(ui).devices);
	ui->page_top = 0;
	ui_settle(ui);
}

/* Up and down: chips of the grid, lines of a text, or processes. */
static void move_vertically(struct ui *ui, int by)
{
	if (ui->settings.view == VIEW_GRID) {
		move_device(ui, by * (int)MAX(ui->layout.cells.per_line, 1));
	} else if (view_has_page(ui->settings.view)) {
		ui->page_top = (size_t)MAX((long)ui->page_top + by, 0);
		ui_settle(ui);
	} else {
		size_t row = ui->row;

		move_by(&row, by, ui->tasks.count);
		ui_select_row(ui, row);
	}
}

static void move_page(struct ui *ui, int direction)
{
	int page =
		view_has_page(ui->settings.view) ? ui->layout.page.height : (int)ui_table_rows(ui);

	move_vertically(ui, direction * (ui->settings.view == VIEW_GRID ? 4 : MAX(page, 1)));
}

static void move_to_end(struct ui *ui, int direction)
{
	enum { FAR = 1000000 };

	if (ui->settings.view == VIEW_GRID)
		move_device(ui, direction * FAR);
	else
		move_vertically(ui, direction * FAR);
}

static void go_to_view(struct ui *ui, int view)
{
	struct want want = { 0 };

	if (ui->settings.view != VIEW_DEVICE)
		ui->view_before = ui->settings.view;
	ui->settings.view = (enum view)view;
	ui->page_top = 0;
	view_wants(ui->settings.view, &want);
	/* What only these show was not read for the samples that are there. */
	if (feed_set_want(ui->feed, &want) && ui->paused && view_has_page(ui->settings.view)) {
		while (ui->n_waiting)
			frame_unref(ui_take_waiting(ui));
		ui->stepping = true;
	}
	ui_settle(ui);
}

static void turn_view(struct ui *ui, int direction)
{
	go_to_view(ui, ((int)ui->settings.view + VIEW_N + direction) % VIEW_N);
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
	if (!feed_submit(ui->feed,
			 &(struct ui_task){ .kind = UI_TASK_INSPECT, .pid = process->pid }))
		ui_say(ui, "too much is being asked");
	overlay_open(ui, OVERLAY_DETAIL);
}

static void open_environment(struct ui *ui)
{
	open_process(ui, "Environment");
}

static void open_files(struct ui *ui)
{
	open_process(ui, "Open device files");
}

static void open_selected(struct ui *ui)
{
	if (ui_process(ui))
		open_process(ui, NULL);
	else
		go_to_view(ui, VIEW_DEVICE);
}

/* From all of one device to where it was opened; elsewhere to all processes, and now. */
static void go_back(struct ui *ui)
{
	if (ui->settings.view == VIEW_DEVICE) {
		go_to_view(ui, (int)ui->view_before);
		return;
	}
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
	if (text != ui->filter_text) {
		snprintf(ui->filter_text, sizeof(ui->filter_text), "%s", text);
		ui->message_until_ns = 0; /* what was wrong with the one before */
	}
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

static void search_on(struct ui *ui, int direction)
{
	ui_search(ui, ui->row + ui->tasks.count + (size_t)direction, direction > 0);
}

static void sort_by(struct ui *ui, int column)
{
	task_order_choose(&ui->settings.order, (enum task_column)column);
	ui_list(ui);
}

static void invert(struct ui *ui)
{
	sort_by(ui, (int)ui->settings.order.column);
}

static void toggle_tree(struct ui *ui)
{
	ui->settings.order.tree = !ui->settings.order.tree;
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
		sort_by(ui, (int)settings->columns[place]);
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

static void untag_all(struct ui *ui)
{
	ui->n_tagged = 0;
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

	if (ui->follow) {
		ui->follow = false;
		ui_say(ui, "not following any more");
	} else if (process) {
		ui->follow = true;
		ui->followed = process_id_of(process);
		ui_say(ui, "following %d", process->pid);
	} else {
		ui_say(ui, "%s", no_process);
	}
}

/* The tagged ones, or else the selected one, as they are now. */
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

static void next_metric(struct ui *ui)
{
	ui->settings.metric = (enum metric)((ui->settings.metric + 1) % METRIC_N);
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
	go_to_view(ui, (int)ui->settings.view);
	scroll_time(ui, 0);
}

void ui_save(struct ui *ui)
{
	const struct ui_task task = { .kind = UI_TASK_SAVE, .settings = ui->kept };

	if (!feed_submit(ui->feed, &task))
		ui_say(ui, "too much is being asked");
}

/* ---- what each key does ---- */

static void open_overlay(struct ui *ui, int overlay)
{
	overlay_open(ui, (enum overlay)overlay);
}

static void redraw(struct ui *ui)
{
	ui->redraw = true;
}

static void quit(struct ui *ui)
{
	ui->quit = true;
}

static const struct action_handler {
	void (*run)(struct ui *ui);
	void (*run_with)(struct ui *ui, int arg); /* instead, with the number that follows */
	int arg;
	bool of_list; /* nobody would see what it does where no processes are listed */
} acts[] = {
	/* clang-format off */
	[ACT_OVERVIEW] = { .run_with = go_to_view, .arg = VIEW_OVERVIEW },
	[ACT_GRID] = { .run_with = go_to_view, .arg = VIEW_GRID },
	[ACT_PROCESSES] = { .run_with = go_to_view, .arg = VIEW_PROCESSES },
	[ACT_MEMORY] = { .run_with = go_to_view, .arg = VIEW_MEMORY },
	[ACT_DEVICE] = { .run_with = go_to_view, .arg = VIEW_DEVICE },
	[ACT_NEXT_VIEW] = { .run_with = turn_view, .arg = 1 },
	[ACT_PREVIOUS_VIEW] = { .run_with = turn_view, .arg = -1 },
	[ACT_UP] = { .run_with = move_vertically, .arg = -1 },
	[ACT_DOWN] = { .run_with = move_vertically, .arg = 1 },
	[ACT_LEFT] = { .run_with = move_device, .arg = -1 },
	[ACT_RIGHT] = { .run_with = move_device, .arg = 1 },
	[ACT_PAGE_UP] = { .run_with = move_page, .arg = -1 },
	[ACT_PAGE_DOWN] = { .run_with = move_page, .arg = 1 },
	[ACT_HOME] = { .run_with = move_to_end, .arg = -1 },
	[ACT_END] = { .run_with = move_to_end, .arg = 1 },
	[ACT_ENTER] = { .run = open_selected },
	[ACT_BACK] = { .run = go_back },
	[ACT_SEARCH] = { .run_with = open_overlay, .arg = OVERLAY_SEARCH, .of_list = true },
	[ACT_SEARCH_NEXT] = { .run_with = search_on, .arg = 1, .of_list = true },
	[ACT_SEARCH_PREVIOUS] = { .run_with = search_on, .arg = -1, .of_list = true },
	[ACT_FILTER] = { .run_with = open_overlay, .arg = OVERLAY_FILTER, .of_list = true },
	[ACT_USER] = { .run_with = open_overlay, .arg = OVERLAY_USER, .of_list = true },
	[ACT_OWNER] = { .run_with = open_overlay, .arg = OVERLAY_OWNER, .of_list = true },
	[ACT_ISOLATE] = { .run = isolate, .of_list = true },
	[ACT_TREE] = { .run = toggle_tree, .of_list = true },
	[ACT_SORT_MENU] = { .run_with = open_overlay, .arg = OVERLAY_SORT, .of_list = true },
	[ACT_SORT_LEFT] = { .run_with = sort_by_neighbour, .arg = -1, .of_list = true },
	[ACT_SORT_RIGHT] = { .run_with = sort_by_neighbour, .arg = 1, .of_list = true },
	[ACT_INVERT] = { .run = invert, .of_list = true },
	[ACT_SORT_PID] = { .run_with = sort_by, .arg = TASK_PID, .of_list = true },
	[ACT_SORT_CPU] = { .run_with = sort_by, .arg = TASK_CPU, .of_list = true },
	[ACT_SORT_DRAM] = { .run_with = sort_by, .arg = TASK_DRAM, .of_list = true },
	[ACT_SORT_L1] = { .run_with = sort_by, .arg = TASK_L1, .of_list = true },
	[ACT_SORT_TIME] = { .run_with = sort_by, .arg = TASK_TIME, .of_list = true },
	[ACT_FOLLOW] = { .run = toggle_follow, .of_list = true },
	[ACT_TAG] = { .run = toggle_tag },
	[ACT_TAG_CHILDREN] = { .run = tag_children },
	[ACT_UNTAG] = { .run = untag_all, .of_list = true },
	[ACT_SIGNAL] = { .run = open_signals },
	[ACT_ENVIRONMENT] = { .run = open_environment },
	[ACT_FILES] = { .run = open_files },
	[ACT_METRIC] = { .run = next_metric },
	[ACT_CHARTS] = { .run = change_charts },
	[ACT_ZOOM_IN] = { .run_with = zoom, .arg = -1 },
	[ACT_ZOOM_OUT] = { .run_with = zoom, .arg = 1 },
	[ACT_EARLIER] = { .run_with = scroll_time, .arg = 1 },
	[ACT_LATER] = { .run_with = scroll_time, .arg = -1 },
	[ACT_PAUSE] = { .run = toggle_pause },
	[ACT_STEP] = { .run = step },
	[ACT_SLOWER] = { .run_with = change_pace, .arg = 1 },
	[ACT_FASTER] = { .run_with = change_pace, .arg = -1 },
	[ACT_THEME] = { .run = change_theme },
	[ACT_SETUP] = { .run_with = open_overlay, .arg = OVERLAY_SETUP },
	[ACT_SAVE] = { .run = ui_save },
	[ACT_REDRAW] = { .run = redraw },
	[ACT_HELP] = { .run_with = open_overlay, .arg = OVERLAY_HELP },
	[ACT_QUIT] = { .run = quit },
	/* clang-format on */
};

void ui_key(struct ui *ui, int code)
{
	const struct action_handler *act = &acts[keys_find(code)];

	if (ui->overlay != OVERLAY_NONE && act->run != redraw)
		overlay_key(ui, code);
	else if (act->of_list && rect_is_empty(&ui->layout.table))
		ui_say(ui, "processes are not listed here: 3 lists them");
	else if (act->run)
		act->run(ui);
	else if (act->run_with)
		act->run_with(ui, act->arg);
}
