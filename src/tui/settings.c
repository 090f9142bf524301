#include "tui/settings.h"

#include "basic/file.h"
#include "basic/parse.h"
#include "tui/theme.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
		settings->columns[i] = true;
}

/* ---- one setting each: reads a value, writes it ---- */

static int set_view(struct settings *settings, const char *value)
{
	for (int i = 0; i < VIEW_N; i++)
		if (strcmp(view_names[i], value) == 0) {
			settings->view = (enum view)i;
			return 0;
		}
	return -EINVAL;
}

static void put_view(const struct settings *settings, struct buf *out)
{
	buf_puts(out, view_names[settings->view]);
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
	if (other)
		settings->order.down = !settings->order.down;
	return 0;
}

static void put_sort(const struct settings *settings, struct buf *out)
{
	struct task_order usual = { .column = TASK_N };

	task_order_choose(&usual, settings->order.column);
	buf_printf(out, "%s%s", usual.down == settings->order.down ? "" : "-",
		   task_infos[settings->order.column].key);
}

static int set_columns(struct settings *settings, const char *value)
{
	bool columns[TASK_N] = { false };

	while (*value) {
		size_t length = strcspn(value, ", ");
		int column = task_column_find(value, length);

		if (column < 0)
			return -EINVAL;
		columns[column] = true;
		value += length;
		value += strspn(value, ", ");
	}
	memcpy(settings->columns, columns, sizeof(columns));
	settings->columns[TASK_PID] = settings->columns[TASK_COMMAND] = true;
	return 0;
}

static void put_columns(const struct settings *settings, struct buf *out)
{
	const char *between = "";

	for (size_t i = 0; i < TASK_N; i++) {
		if (!settings->columns[i])
			continue;
		buf_printf(out, "%s%s", between, task_infos[i].key);
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

static int set_tree(struct settings *settings, const char *value)
{
	return set_flag(&settings->order.tree, value);
}

static void put_tree(const struct settings *settings, struct buf *out)
{
	buf_puts(out, settings->order.tree ? "yes" : "no");
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

static const struct setting {
	const char *name, *help;
	int (*set)(struct settings *settings, const char *value);
	void (*put)(const struct settings *settings, struct buf *out);
} table[] = {
	{ "view", "overview, grid, processes, memory or device", set_view, put_view },
	{ "sort", "column of the processes; -name for the other way round", set_sort, put_sort },
	{ "tree", "processes as a tree: yes or no", set_tree, put_tree },
	{ "columns", "of the processes, as far as there is room", set_columns, put_columns },
	{ "theme", "default, colorblind, light or mono", set_theme, put_theme },
	{ "refresh", "milliseconds from sample to sample, 100 to 60000", set_refresh, put_refresh },
	{ "mouse", "yes or no (no: the terminal keeps it for copying)", set_mouse, put_mouse },
	{ "chart", "first chart: dram, power, temperature, aiclk, pcie_in, pcie_out, l1 or compute",
	  set_chart, put_chart },
	{ "span", "seconds that charts show: 60, 300, 600, 1800 or 3600", set_span, put_span },
};

int settings_set(struct settings *settings, const char *name, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (strcasecmp(table[i].name, name) == 0)
			return table[i].set(settings, value);
	return -ENOENT;
}

/* ---- the file ---- */

/* Cuts blanks off both ends. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

static void parse_line(struct settings *settings, char *line, unsigned number,
		       struct buf *complaints)
{
	char *equals, *name, *value;
	int r;

	line[strcspn(line, "#")] = '\0';
	line = trim(line);
	if (!line[0])
		return;
	equals = strchr(line, '=');
	if (!equals) {
		buf_printf(complaints, "line %u: \"%s\" has no \"=\"\n", number, line);
		return;
	}
	*equals = '\0';
	name = trim(line);
	value = trim(equals + 1);
	r = settings_set(settings, name, value);
	if (r == -ENOENT)
		buf_printf(complaints, "line %u: no setting \"%s\"\n", number, name);
	else if (r < 0)
		buf_printf(complaints, "line %u: %s cannot be \"%s\"\n", number, name, value);
}

void settings_parse(struct settings *settings, const char *text, struct buf *complaints)
{
	CLEANUP_FREE char *copy = strdup(text);
	unsigned number = 0;

	for (char *line = copy; line && *line;) {
		size_t length = strcspn(line, "\n");
		bool more = line[length] == '\n';

		line[length] = '\0';
		parse_line(settings, line, ++number, complaints);
		line += length + more;
	}
}

/* False: nobody says where. */
static bool put_folder(struct buf *out)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && config[0] == '/')
		buf_printf(out, "%s/tt-smi", config);
	else if (home && home[0] == '/')
		buf_printf(out, "%s/.config/tt-smi", home);
	return out->length > 0;
}

static void load_environment(struct settings *settings, struct buf *complaints)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char name[32] = "TT_SMI_";
		const char *value;
		size_t n = strlen(name);

		for (const char *p = table[i].name; *p && n + 1 < sizeof(name); p++)
			name[n++] = (char)toupper((unsigned char)*p);
		name[n] = '\0';
		value = getenv(name);
		if (value && table[i].set(settings, value) < 0)
			buf_printf(complaints, "%s cannot be \"%s\"\n", name, value);
	}
}

void settings_load(struct settings *settings, struct buf *complaints)
{
	CLEANUP_BUF struct buf path = { 0 }, text = { 0 };

	if (put_folder(&path)) {
		int r;

		buf_puts(&path, "/config");
		r = file_read_all(AT_FDCWD, buf_text(&path), 1 << 20, &text);
		if (r >= 0)
			settings_parse(settings, buf_text(&text), complaints);
		else if (r != -ENOENT && r != -ENOTDIR)
			buf_printf(complaints, "%s: %s\n", buf_text(&path), strerror(-r));
	}
	load_environment(settings, complaints);
}

void settings_write(const struct settings *settings, struct buf *out)
{
	buf_puts(out,
		 "# Settings of tt_smi -w. Environment variables (TT_SMI_VIEW=grid) and options\n"
		 "# come before them.\n");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		buf_printf(out, "\n# %s\n%s = ", table[i].help, table[i].name);
		table[i].put(settings, out);
		buf_putc(out, '\n');
	}
}

/* The folder and the one above it, as a desktop would make them. */
static void make_folders(const char *folder)
{
	CLEANUP_FREE char *above = strdup(folder);

	if (above) {
		*strrchr(above, '/') = '\0';
		mkdir(above, 0700);
	}
	mkdir(folder, 0700);
}

static int write_file(const char *path, const struct buf *text)
{
	CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, buf_text(text), text->length);
	if (n < 0)
		return -errno;
	return (size_t)n == text->length ? 0 : -ENOSPC;
}

/* Beside the old file first: a full disk does not cost the settings that were there. */
int settings_save(const struct settings *settings, struct buf *ret_path)
{
	CLEANUP_BUF struct buf text = { 0 }, fresh = { 0 };
	int r;

	if (!put_folder(ret_path))
		return -ENOENT;
	make_folders(buf_text(ret_path));
	buf_puts(ret_path, "/config");
	buf_printf(&fresh, "%s.new", buf_text(ret_path));
	settings_write(settings, &text);
	if (text.failed || fresh.failed || ret_path->failed)
		return -ENOMEM;
	r = write_file(buf_text(&fresh), &text);
	if (r == 0 && rename(buf_text(&fresh), buf_text(ret_path)) < 0)
		r = -errno;
	if (r < 0)
		unlink(buf_text(&fresh));
	return r;
}
