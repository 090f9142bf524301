#include "fleet_tui/fleet_ui.h"

#include "basic/clock.h"
#include "basic/text.h"
#include "fleet/document.h"
#include "tui/keys.h"
#include "tui/theme.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAME_LEAST = 8,
	NAME_MOST = 24,
	AFTER_NAME = 16, /* devices up, and the temperature */
	PERIOD_LEAST_MS = 1000,
	PERIOD_MOST_MS = 300000,
};

const struct fleet_key fleet_keys[] = {
	{ ACT_UP, "the machine above; in a machine: up" },
	{ ACT_DOWN, "the machine below; in a machine: down" },
	{ ACT_PAGE_UP, "a page up" },
	{ ACT_PAGE_DOWN, "a page down" },
	{ ACT_HOME, "to the first machine" },
	{ ACT_END, "to the last machine" },
	{ ACT_ENTER, "the chips of the selected machine" },
	{ ACT_BACK, "back to all machines" },
	{ ACT_METRIC, "chips show temperature, power or used DRAM" },
	{ ACT_SORT_MENU, "sort by alerts, name, temperature, power, DRAM" },
	{ ACT_SLOWER, "query the server less often" },
	{ ACT_FASTER, "query the server more often" },
	{ ACT_THEME, "the next theme" },
	{ ACT_REDRAW, "redraw the screen" },
	{ ACT_HELP, "this help" },
	{ ACT_QUIT, "quit" },
};

const size_t n_fleet_keys = ARRAY_SIZE(fleet_keys);

void fleet_ui_done(struct fleet_ui *ui)
{
	fleet_done(&ui->fleet);
	chip_page_done(&ui->page);
	free(ui->followed);
}

const struct fleet_machine *fleet_ui_machine(const struct fleet_ui *ui)
{
	return ui->selected < ui->fleet.count ? &ui->fleet.machines[ui->selected] : NULL;
}

int fleet_ui_name_width(const struct fleet_ui *ui)
{
	size_t width = NAME_LEAST, end = MIN(ui->first + (size_t)ui->rows, ui->fleet.count);

	for (size_t i = ui->first; i < end; i++)
		width = MAX(width, strlen(ui->fleet.machines[i].name));
	return (int)MIN(width, NAME_MOST);
}

int fleet_ui_chips_left(const struct fleet_ui *ui)
{
	return 2 + fleet_ui_name_width(ui) + AFTER_NAME;
}

size_t fleet_ui_per_line(const struct fleet_ui *ui)
{
	return (size_t)MAX((ui->columns - fleet_ui_chips_left(ui)) / CHIP_WIDTH, 1);
}

/* As many as the machine with the most chips needs. */
size_t fleet_ui_lines(const struct fleet_ui *ui)
{
	enum { MOST_LINES = 8 };
	size_t most = 1, per_line = fleet_ui_per_line(ui);

	for (size_t i = 0; i < ui->fleet.count; i++)
		most = MAX(most, number_to_u64(ui->fleet.machines[i].values[MACHINE_DEVICES]));
	for (size_t i = 0; i < ui->page.count; i++)
		most = MAX(most, ui->page.rows[i].count);
	return MIN((most - 1) / per_line + 1, MOST_LINES);
}

size_t fleet_ui_machines(const struct fleet_ui *ui)
{
	int room = ui->rows - FLEET_TOP - FLEET_BOTTOM;

	return MAX((size_t)MAX(room, 1) / fleet_ui_lines(ui), 1);
}

/* Keeps the selection on the screen. */
static void scroll(struct fleet_ui *ui)
{
	size_t shown = fleet_ui_machines(ui), last = ui->fleet.count ? ui->fleet.count - 1 : 0;

	ui->selected = MIN(ui->selected, last);
	if (ui->selected < ui->first)
		ui->first = ui->selected;
	if (ui->selected >= ui->first + shown)
		ui->first = ui->selected - shown + 1;
	if (ui->first + shown > ui->fleet.count)
		ui->first = ui->fleet.count > shown ? ui->fleet.count - shown : 0;
}

/* The selection is a machine, not a place in the order, which changes with every refresh. */
static void follow(struct fleet_ui *ui)
{
	for (size_t i = 0; ui->followed && i < ui->fleet.count; i++)
		if (strcmp(ui->fleet.machines[i].instance, ui->followed) == 0)
			ui->selected = i;
	scroll(ui);
}

static void select_machine(struct fleet_ui *ui, size_t selected)
{
	ui->selected = selected;
	scroll(ui);
	free(ui->followed);
	/* Before a key selects a machine, the selection is the first place, where the machine that
	 * needs most attention is. */
	ui->followed = ui->selected ? strdup(fleet_ui_machine(ui)->instance) : NULL;
}

void fleet_ui_take(struct fleet_ui *ui, struct fleet_news *news)
{
	if (news->has_fleet) {
		fleet_done(&ui->fleet);
		ui->fleet = news->fleet;
		ui->has_fleet = true;
		fleet_sort(&ui->fleet, ui->order);
	}
	if (news->has_page) {
		chip_page_done(&ui->page);
		ui->page = news->page;
	}
	ui->answered_ns = news->answered_ns;
	snprintf(ui->error, sizeof(ui->error), "%s", news->error);
	follow(ui);
}

void fleet_ui_resize(struct fleet_ui *ui, int rows, int columns)
{
	ui->rows = rows;
	ui->columns = columns;
	ui->redraw = true;
	scroll(ui);
}

void fleet_ui_request(const struct fleet_ui *ui, struct fleet_feed *feed)
{
	size_t first = ui->in_machine ? ui->selected : ui->first;
	size_t shown = ui->in_machine ? 1 : fleet_ui_machines(ui);
	size_t count = MIN(shown, ui->fleet.count - MIN(first, ui->fleet.count));
	CLEANUP_FREE const char **instances = calloc(count + 1, sizeof(*instances));

	for (size_t i = 0; instances && i < count; i++)
		instances[i] = ui->fleet.machines[first + i].instance;
	if (instances)
		fleet_feed_set_page(feed, instances, count);
}

double fleet_ui_silence(const struct fleet_ui *ui, int64_t now_ns)
{
	static const int64_t grace_ns = 2 * NS_PER_S;
	int64_t since = ui->answered_ns ? ui->answered_ns : ui->started_ns;
	int64_t late_ns =
		ui->answered_ns ? (int64_t)ui->period_ms * NS_PER_MS + grace_ns : grace_ns;

	if (!ui->error[0] && now_ns - since < late_ns)
		return -1;
	return (double)(now_ns - since) / NS_PER_S;
}

size_t fleet_ui_last_top(const struct fleet_ui *ui)
{
	const struct fleet_machine *machine = fleet_ui_machine(ui);
	const struct chip_row *chips =
		machine ? chip_page_find(&ui->page, machine->instance) : NULL;
	size_t room = (size_t)MAX(ui->rows - FLEET_BOTTOM - FLEET_CHIPS, 0);

	return chips && chips->count > room ? chips->count - room : 0;
}

static void move(struct fleet_ui *ui, long by)
{
	long target = (long)(ui->in_machine ? ui->top : ui->selected) + by;

	target = MAX(target, 0);
	if (ui->in_machine)
		ui->top = MIN((size_t)target, fleet_ui_last_top(ui));
	else if (ui->fleet.count)
		select_machine(ui, MIN((size_t)target, ui->fleet.count - 1));
}

static void change_period(struct fleet_ui *ui, bool slower)
{
	unsigned period = slower ? ui->period_ms * 2 : ui->period_ms / 2;

	ui->period_ms = MIN(MAX(period, PERIOD_LEAST_MS), PERIOD_MOST_MS);
}

static void change_order(struct fleet_ui *ui)
{
	ui->order = (ui->order + 1) % ORDERS;
	fleet_sort(&ui->fleet, ui->order);
	follow(ui);
}

static void change_theme(struct fleet_ui *ui)
{
	ui->theme = (ui->theme + 1) % THEME_N;
	theme_apply(ui->theme, ui->color);
}

static void enter(struct fleet_ui *ui, bool in)
{
	ui->in_machine = in && fleet_ui_machine(ui);
	ui->top = 0;
	if (ui->in_machine) { /* from now on it is this one, wherever it is in the order */
		free(ui->followed);
		ui->followed = strdup(fleet_ui_machine(ui)->instance);
	}
}

static void act(struct fleet_ui *ui, enum action action)
{
	static const long everything = LONG_MAX / 2;
	long page = ui->in_machine ? ui->rows / 2 : (long)fleet_ui_machines(ui);

	if (action == ACT_UP || action == ACT_DOWN)
		move(ui, action == ACT_UP ? -1 : 1);
	else if (action == ACT_PAGE_UP || action == ACT_PAGE_DOWN)
		move(ui, action == ACT_PAGE_UP ? -page : page);
	else if (action == ACT_HOME || action == ACT_END)
		move(ui, action == ACT_HOME ? -everything : everything);
	else if (action == ACT_ENTER || action == ACT_BACK)
		enter(ui, action == ACT_ENTER);
	else if (action == ACT_METRIC)
		ui->reading = (ui->reading + 1) % READING_N;
	else if (action == ACT_SORT_MENU)
		change_order(ui);
	else if (action == ACT_SLOWER || action == ACT_FASTER)
		change_period(ui, action == ACT_SLOWER);
	else if (action == ACT_THEME)
		change_theme(ui);
	else if (action == ACT_REDRAW)
		ui->redraw = true;
}

void fleet_ui_key(struct fleet_ui *ui, int code)
{
	enum action action = keys_find(code);

	if (action == ACT_QUIT)
		ui->quit = true;
	else if (ui->help || action == ACT_HELP)
		ui->help = !ui->help; /* any key closes it */
	else
		act(ui, action);
}
