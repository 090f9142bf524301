#include "tui/settings.h"

#include "basic/parse.h"
#include "tui/theme.h"

#include <errno.h>
#include <string.h>

const unsigned settings_spans[N_SPANS] = { 60, 300, 600, 1800, 3600 };

static const char *const view_names[VIEW_N] = { "overview", "grid", "processes", "memory",
						"device" };

void settings_init(struct settings *settings)
{
	*settings = (struct settings){
		.order = { .column = TASK_DRAM, .down = true, .second = TASK_PID },
		.refresh_ms = 1000,
		.mouse = true,
		.span = 2,
	};
	for (size_t i = 0; i < TASK_N; i++)
		settings->columns[i] = (enum task_column)i;
}

void settings_show_column(struct settings *settings, enum task_column column, bool shown)
{
	settings->hidden[column] = !shown && column != TASK_PID && column != TASK_COMMAND;
}

void settings_move_column(struct settings *settings, size_t place, int direction)
{
	size_t other = place + (size_t)direction;
	enum task_column column;

	if (place >= TASK_N || other >= TASK_N)
		return;
	column = settings->columns[place];
	settings->columns[place] = settings->columns[other];
	settings->columns[other] = column;
}

/* The place after or before one of so many, round and round. */
static unsigned turn(unsigned at, int direction, unsigned count)
{
	return (at + count + (unsigned)direction) % count;
}

/* ---- one setting each: reads a value, writes it, chooses the next ---- */

/* A value that is one of some words. */
static int find_word(const char *const *words, unsigned count, const char *value)
{
	for (unsigned i = 0; i < count; i++)
		if (strcmp(words[i], value) == 0)
			return (int)i;
	return -EINVAL;
}

static int set_view(struct settings *settings, const char *value)
{
	int view = find_word(view_names, VIEW_N, value);

	if (view >= 0)
		settings->view = (enum view)view;
	return MIN(view, 0);
}

static void put_view(const struct settings *settings, struct buf *out)
{
	buf_puts(out, view_names[settings->view]);
}

static void turn_view(struct settings *settings, int direction)
{
	settings->view = (enum view)turn(settings->view, direction, VIEW_N);
}

/* "dram", or "-dram" for the smallest first. */
static int set_sort(struct settings *settings, const char *value)
{
	bool other = value[0] == '-';
	int column = task_column_find(value + other, strlen(value + other));

	if (column < 0)
		return -EINVAL;
	if (settings->order.column != (enum task_column)column)
		task_order_choose(&settings->order, (enum task_column)column);
	settings->order.down = task_starts_down((enum task_column)column) != other;
	return 0;
}

static void put_sort(const struct settings *settings, struct buf *out)
{
	enum task_column column = settings->order.column;

	buf_printf(out, "%s%s", task_starts_down(column) == settings->order.down ? "" : "-",
		   task_infos[column].key);
}

/* Chooses by the columns in their order, which is as good as any. */
static void turn_sort(struct settings *settings, int direction)
{
	task_order_choose(&settings->order,
			  (enum task_column)turn(settings->order.column, direction, TASK_N));
}

/* In the order given; those not named follow, hidden, where they would be found again. */
static int set_columns(struct settings *settings, const char *value)
{
	struct settings next = *settings;
	bool named[TASK_N] = { false };
	size_t n = 0;

	while (*value) {
		size_t length = strcspn(value, ", ");
		int column = task_column_find(value, length);

		if (column < 0 || named[column])
			return -EINVAL;
		named[column] = true;
		next.columns[n++] = (enum task_column)column;
		value += length;
		value += strspn(value, ", ");
	}
	if (!named[TASK_PID]) {
		memmove(next.columns + 1, next.columns, n++ * sizeof(next.columns[0]));
		next.columns[0] = TASK_PID;
	}
	for (enum task_column i = 0; i < TASK_N; i++) {
		settings_show_column(&next, i, named[i]);
		if (!named[i] && i != TASK_PID)
			next.columns[n++] = i;
	}
	*settings = next;
	return 0;
}

static void put_columns(const struct settings *settings, struct buf *out)
{
	const char *between = "";

	for (size_t i = 0; i < TASK_N; i++) {
		if (settings->hidden[settings->columns[i]])
			continue;
		buf_printf(out, "%s%s", between, task_infos[settings->columns[i]].key);
		between = " ";
	}
}

static int set_theme(struct settings *settings, const char *value)
{
	int theme = theme_find(value);

	if (theme < 0)
		return -EINVAL;
	settings->theme = (size_t)theme;
	return 0;
}

static void put_theme(const struct settings *settings, struct buf *out)
{
	buf_puts(out, theme_name(settings->theme));
}

static void turn_theme(struct settings *settings, int direction)
{
	unsigned count = 0;

	while (theme_name(count))
		count++;
	settings->theme = turn((unsigned)settings->theme, direction, count);
}

static const char *const unit_names[UNITS_N] = { "binary", "iec", "decimal" };

static int set_units(struct settings *settings, const char *value)
{
	int units = find_word(unit_names, UNITS_N, value);

	if (units >= 0)
		settings->units = (enum units)units;
	return MIN(units, 0);
}

static void put_units(const struct settings *settings, struct buf *out)
{
	buf_puts(out, unit_names[settings->units]);
}

static void turn_units(struct settings *settings, int direction)
{
	settings->units = (enum units)turn(settings->units, direction, UNITS_N);
}

static int set_refresh(struct settings *settings, const char *value)
{
	uint32_t ms;

	if (parse_u32(value, &ms) < 0 || ms < 100 || ms > 60000)
		return -EINVAL;
	settings->refresh_ms = ms;
	return 0;
}

static void put_refresh(const struct settings *settings, struct buf *out)
{
	buf_printf(out, "%u", settings->refresh_ms);
}

unsigned settings_next_refresh(unsigned ms, int direction)
{
	static const unsigned paces[] = { 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000 };
	unsigned next = ms;

	for (size_t i = 0; i < ARRAY_SIZE(paces); i++) {
		if (direction < 0 && paces[i] < ms)
			next = paces[i];
		if (direction > 0 && paces[i] > ms)
			return paces[i];
	}
	return next;
}

static void turn_refresh(struct settings *settings, int direction)
{
	settings->refresh_ms = settings_next_refresh(settings->refresh_ms, direction);
}

static int set_flag(bool *flag, const char *value)
{
	bool yes = strcmp(value, "yes") == 0;

	if (!yes && strcmp(value, "no") != 0)
		return -EINVAL;
	*flag = yes;
	return 0;
}

static int set_mouse(struct settings *settings, const char *value)
{
	return set_flag(&settings->mouse, value);
}

static void put_mouse(const struct settings *settings, struct buf *out)
{
	buf_puts(out, settings->mouse ? "yes" : "no");
}

static void turn_mouse(struct settings *settings, int direction)
{
	(void)direction;
	settings->mouse = !settings->mouse;
}

static int set_tree(struct settings *settings, const char *value)
{
	return set_flag(&settings->order.tree, value);
}

static void put_tree(const struct settings *settings, struct buf *out)
{
	buf_puts(out, settings->order.tree ? "yes" : "no");
}

static void turn_tree(struct settings *settings, int direction)
{
	(void)direction;
	settings->order.tree = !settings->order.tree;
}

static int set_chart(struct settings *settings, const char *value)
{
	for (int i = 0; i < METRIC_N; i++)
		if (strcmp(metric_infos[i].key, value) == 0) {
			settings->metric = (enum metric)i;
			return 0;
		}
	return -EINVAL;
}

static void put_chart(const struct settings *settings, struct buf *out)
{
	buf_puts(out, metric_infos[settings->metric].key);
}

static void turn_chart(struct settings *settings, int direction)
{
	settings->metric = (enum metric)turn(settings->metric, direction, METRIC_N);
}

static const char *const charts_names[] = { "readings", "devices" };

static int set_charts(struct settings *settings, const char *value)
{
	int of = find_word(charts_names, ARRAY_SIZE(charts_names), value);

	if (of >= 0)
		settings->charts_of_devices = of;
	return MIN(of, 0);
}

static void put_charts(const struct settings *settings, struct buf *out)
{
	buf_puts(out, charts_names[settings->charts_of_devices]);
}

static void turn_charts(struct settings *settings, int direction)
{
	(void)direction;
	settings->charts_of_devices = !settings->charts_of_devices;
}

static const char *const signs_names[PLOT_SIGNS_N] = { "braille", "blocks", "ascii" };

static int set_signs(struct settings *settings, const char *value)
{
	int signs = find_word(signs_names, PLOT_SIGNS_N, value);

	if (signs >= 0)
		settings->signs = (enum plot_signs)signs;
	return MIN(signs, 0);
}

static void put_signs(const struct settings *settings, struct buf *out)
{
	buf_puts(out, signs_names[settings->signs]);
}

static void turn_signs(struct settings *settings, int direction)
{
	settings->signs = (enum plot_signs)turn(settings->signs, direction, PLOT_SIGNS_N);
}

static int set_span(struct settings *settings, const char *value)
{
	uint32_t seconds;

	if (parse_u32(value, &seconds) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < N_SPANS; i++)
		if (settings_spans[i] == seconds) {
			settings->span = i;
			return 0;
		}
	return -EINVAL;
}

static void put_span(const struct settings *settings, struct buf *out)
{
	buf_printf(out, "%u", settings_spans[settings->span]);
}

static void turn_span(struct settings *settings, int direction)
{
	settings->span = turn(settings->span, direction, N_SPANS);
}

static const struct setting {
	const char *name, *help;
	int (*set)(struct settings *settings, const char *value);
	void (*put)(const struct settings *settings, struct buf *out);
	void (*turn)(struct settings *settings, int direction); /* NULL: too many values */
} table[] = {
	/* clang-format off */
	{ "view", "overview, grid, processes, memory or device", set_view, put_view, turn_view },
	{ "theme", "default, colorblind, light or mono", set_theme, put_theme, turn_theme },
	{ "refresh", "milliseconds from sample to sample, 100 to 60000", set_refresh, put_refresh,
	  turn_refresh },
	{ "units", "of memory: binary (GB of 1024 MB), iec (the same as GiB) or decimal", set_units,
	  put_units, turn_units },
	{ "sort", "column of the processes; -name for the other way round", set_sort, put_sort,
	  turn_sort },
	{ "tree", "processes as a tree: yes or no", set_tree, put_tree, turn_tree },
	{ "columns", "of the processes, in their order, as far as there is room", set_columns,
	  put_columns, NULL },
	{ "chart", "the first: dram, power, temperature, aiclk, pcie_in, pcie_out, l1 or compute",
	  set_chart, put_chart, turn_chart },
	{ "charts", "readings (several of one device) or devices (one of several)",
	  set_charts, put_charts, turn_charts },
	{ "signs", "that charts are made of: braille, blocks or ascii", set_signs, put_signs,
	  turn_signs },
	{ "span", "seconds that charts show: 60, 300, 600, 1800 or 3600", set_span, put_span,
	  turn_span },
	{ "mouse", "yes or no (no: the terminal keeps it for copying)", set_mouse, put_mouse,
	  turn_mouse },
	/* clang-format on */
};

const size_t settings_count = ARRAY_SIZE(table);

const char *settings_name(size_t i)
{
	return table[i].name;
}

const char *settings_help(size_t i)
{
	return table[i].help;
}

void settings_put(const struct settings *settings, size_t i, struct buf *out)
{
	table[i].put(settings, out);
}

bool settings_can_turn(size_t i)
{
	return table[i].turn != NULL;
}

void settings_turn(struct settings *settings, size_t i, int direction)
{
	table[i].turn(settings, direction);
}

int settings_set(struct settings *settings, const char *name, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (strcasecmp(table[i].name, name) == 0)
			return table[i].set(settings, value);
	return -ENOENT;
}

void settings_keep(struct settings *kept, const struct settings *before, const struct settings *now)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		CLEANUP_BUF struct buf old = { 0 }, new = { 0 };

		table[i].put(before, &old);
		table[i].put(now, &new);
		if (strcmp(buf_text(&old), buf_text(&new)) != 0)
			(void)!table[i].set(kept, buf_text(&new));
	}
}
