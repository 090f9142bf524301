#include "tui/settings.h"

#include "basic/parse.h"
#include "source/sampler.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

const unsigned settings_spans[N_SPANS] = { 60, 300, 600, 1800, 3600 };

static const char *const unit_names[UNITS_N] = { "binary", "iec", "decimal" };
static const char *const character_set_names[PLOT_CHARACTERS_N] = { "braille", "blocks", "ascii" };
static const char *const chart_mode_names[CHARTS_N] = { "readings", "devices" };
static const char *const flag_names[] = { "no", "yes" };

/* What the words mean, where they need it; in the help. */
static const char *const unit_notes[UNITS_N] = { "GB of 1024 MB", "the same as GiB" };
static const char *const chart_mode_notes[CHARTS_N] = { "of one device", "one reading of each" };
static const char *const mouse_notes[] = { "no: the terminal keeps it for copying", NULL };

enum setting_kind {
	SETTING_WORD,	 /* one of some words; the member is an enumeration */
	SETTING_NUMBER,	 /* one of some numbers; the member is an index */
	SETTING_FLAG,	 /* yes or no */
	SETTING_PERIOD,	 /* milliseconds */
	SETTING_ORDER,	 /* a column to sort by */
	SETTING_COLUMNS, /* a list of columns */
};

static const struct setting {
	const char *name;
	/* description, to which the values are appended; NULL: the values are enough */
	const char *help;
	enum setting_kind kind;
	size_t offset; /* of the member of struct settings */
	unsigned count;
	const char *const *words; /* of SETTING_WORD and SETTING_FLAG */
	const char *const *notes; /* meaning of each word; NULL: self-explanatory */
	const unsigned *numbers;  /* of SETTING_NUMBER */
} table[] = {
#define MEMBER(member)	    .offset = offsetof(struct settings, member)
#define WORDS(member, list) SETTING_WORD, MEMBER(member), .words = (list), .count = ARRAY_SIZE(list)
#define FLAG(member) \
	SETTING_FLAG, MEMBER(member), .words = flag_names, .count = ARRAY_SIZE(flag_names)
	/* clang-format off */
	{ "view", NULL, WORDS(view, view_names) },
	{ "theme", NULL, WORDS(theme, theme_names) },
	{ "refresh", "milliseconds from sample to sample",
	  SETTING_PERIOD, MEMBER(refresh_ms) },
	{ "units", "of memory", WORDS(units, unit_names), .notes = unit_notes },
	{ "sort", "column of the processes, -name in reverse order",
	  SETTING_ORDER, MEMBER(order) },
	{ "tree", "processes as a tree", FLAG(order.tree) },
	{ "columns", "of the processes, in this order; those that do not fit are left out",
	  SETTING_COLUMNS, MEMBER(columns) },
	{ "chart", "reading of the first chart", WORDS(metric, metric_names) },
	{ "charts", NULL, WORDS(charts, chart_mode_names), .notes = chart_mode_notes },
	{ "signs", "characters that charts are drawn with", WORDS(characters, character_set_names) },
	{ "span", "seconds that charts show",
	  SETTING_NUMBER, MEMBER(span), .numbers = settings_spans, .count = N_SPANS },
	{ "mouse", NULL, FLAG(mouse), .notes = mouse_notes },
	/* clang-format on */
};

const size_t settings_count = ARRAY_SIZE(table);

/* Enumerations are accessed as unsigned integers. */
static_assert(sizeof(enum view) == sizeof(unsigned) && sizeof(enum metric) == sizeof(unsigned),
	      "an enumeration is an unsigned int");

static unsigned get_choice(const struct settings *settings, const struct setting *setting)
{
	unsigned choice;

	memcpy(&choice, (const char *)settings + setting->offset, sizeof(choice));
	return choice;
}

static void set_choice(struct settings *settings, const struct setting *setting, unsigned choice)
{
	memcpy((char *)settings + setting->offset, &choice, sizeof(choice));
}

static bool get_flag(const struct settings *settings, const struct setting *setting)
{
	return *(const bool *)((const char *)settings + setting->offset);
}

static void set_flag(struct settings *settings, const struct setting *setting, bool flag)
{
	*(bool *)((char *)settings + setting->offset) = flag;
}

/* The next or previous index, cyclically. */
static unsigned turn(unsigned at, int direction, unsigned count)
{
	return (at + count + (unsigned)direction) % count;
}

/* ---- kinds with their own syntax ---- */

/* "dram", or "-dram" for ascending order. */
static int set_sort(struct settings *settings, const char *value)
{
	bool other = value[0] == '-';
	int column = process_column_find(value + other, strlen(value + other));

	if (column < 0)
		return -EINVAL;
	if (settings->order.column != (enum process_column)column)
		process_order_choose(&settings->order, (enum process_column)column);
	settings->order.down = process_column_starts_down((enum process_column)column) != other;
	return 0;
}

static void put_sort(const struct settings *settings, struct buf *out)
{
	enum process_column column = settings->order.column;

	buf_printf(out, "%s%s",
		   process_column_starts_down(column) == settings->order.down ? "" : "-",
		   process_columns[column].key);
}

static void turn_sort(struct settings *settings, int direction)
{
	process_order_choose(
		&settings->order,
		(enum process_column)turn(settings->order.column, direction, PROCESS_COLUMNS));
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

static int set_period(struct settings *settings, const char *value)
{
	uint32_t ms;

	if (parse_u32(value, &ms) < 0 || ms < REFRESH_MS_LEAST || ms > REFRESH_MS_MOST)
		return -EINVAL;
	settings->refresh_ms = ms;
	return 0;
}

/* ---- by kind ---- */

/* The index of a value among the words or numbers of a setting. */
static int find_choice(const struct setting *setting, const char *value)
{
	uint32_t number;

	for (unsigned i = 0; i < setting->count; i++)
		if (setting->words
			    ? strcmp(setting->words[i], value) == 0
			    : parse_u32(value, &number) == 0 && number == setting->numbers[i])
			return (int)i;
	return -EINVAL;
}

static int set_value(struct settings *settings, const struct setting *setting, const char *value)
{
	int choice;

	switch (setting->kind) {
	case SETTING_WORD:
	case SETTING_NUMBER:
		choice = find_choice(setting, value);
		if (choice >= 0)
			set_choice(settings, setting, (unsigned)choice);
		return MIN(choice, 0);
	case SETTING_FLAG:
		choice = find_choice(setting, value);
		if (choice >= 0)
			set_flag(settings, setting, choice);
		return MIN(choice, 0);
	case SETTING_PERIOD: return set_period(settings, value);
	case SETTING_ORDER: return set_sort(settings, value);
	case SETTING_COLUMNS: return column_choice_parse(&settings->columns, value);
	}
	return -EINVAL;
}

void settings_put(const struct settings *settings, size_t i, struct buf *out)
{
	const struct setting *setting = &table[i];

	switch (setting->kind) {
	case SETTING_WORD: buf_puts(out, setting->words[get_choice(settings, setting)]); break;
	case SETTING_NUMBER:
		buf_printf(out, "%u", setting->numbers[get_choice(settings, setting)]);
		break;
	case SETTING_FLAG: buf_puts(out, setting->words[get_flag(settings, setting)]); break;
	case SETTING_PERIOD: buf_printf(out, "%u", settings->refresh_ms); break;
	case SETTING_ORDER: put_sort(settings, out); break;
	case SETTING_COLUMNS: column_choice_put(&settings->columns, out); break;
	}
}

bool settings_can_turn(size_t i)
{
	return table[i].kind != SETTING_COLUMNS;
}

void settings_turn(struct settings *settings, size_t i, int direction)
{
	const struct setting *setting = &table[i];

	switch (setting->kind) {
	case SETTING_WORD:
	case SETTING_NUMBER:
		set_choice(settings, setting,
			   turn(get_choice(settings, setting), direction, setting->count));
		break;
	case SETTING_FLAG: set_flag(settings, setting, !get_flag(settings, setting)); break;
	case SETTING_PERIOD:
		settings->refresh_ms = settings_next_refresh(settings->refresh_ms, direction);
		break;
	case SETTING_ORDER: turn_sort(settings, direction); break;
	case SETTING_COLUMNS: break;
	}
}

/* ---- */

void settings_init(struct settings *settings)
{
	*settings = (struct settings){
		.order = { .column = COL_DRAM, .down = true, .second = COL_PID },
		.refresh_ms = REFRESH_MS_DEFAULT,
		.mouse = true,
		.span = 2,
	};
	column_choice_init(&settings->columns);
}

const char *settings_name(size_t i)
{
	return table[i].name;
}

/* "braille, blocks or ascii"; of a flag the second value comes first: "yes or no". */
static void put_choices(const struct setting *setting, struct buf *out)
{
	for (unsigned i = 0; i < setting->count; i++) {
		unsigned at = setting->kind == SETTING_FLAG ? setting->count - 1 - i : i;

		if (i)
			buf_puts(out, i + 1 == setting->count ? " or " : ", ");
		if (setting->words)
			buf_puts(out, setting->words[at]);
		else
			buf_printf(out, "%u", setting->numbers[at]);
		if (setting->notes && setting->notes[at])
			buf_printf(out, " (%s)", setting->notes[at]);
	}
}

static void put_columns(struct buf *out)
{
	for (size_t i = 0; i < PROCESS_COLUMNS; i++)
		buf_printf(out, "%s%s", i ? " " : "", process_columns[i].key);
}

void settings_put_help(size_t i, struct buf *out)
{
	const struct setting *setting = &table[i];
	bool of_columns = setting->kind == SETTING_ORDER || setting->kind == SETTING_COLUMNS;

	if (setting->help)
		buf_puts(out, setting->help);
	if (setting->help && (setting->count || of_columns))
		buf_puts(out, ": ");
	if (of_columns)
		put_columns(out);
	put_choices(setting, out);
	if (setting->kind == SETTING_PERIOD)
		buf_printf(out, ", %d to %d", REFRESH_MS_LEAST, REFRESH_MS_MOST);
}

size_t settings_find(const char *name)
{
	size_t i = 0;

	while (i < settings_count && strcasecmp(table[i].name, name) != 0)
		i++;
	return i;
}

int settings_set(struct settings *settings, const char *name, const char *value)
{
	size_t i = settings_find(name);

	return i < settings_count ? set_value(settings, &table[i], value) : -ENOENT;
}

void settings_keep(struct settings *kept, const struct settings *before, const struct settings *now)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		CLEANUP_BUF struct buf old = { 0 }, new = { 0 };

		settings_put(before, i, &old);
		settings_put(now, i, &new);
		if (strcmp(buf_text(&old), buf_text(&new)) != 0)
			(void)!set_value(kept, &table[i], buf_text(&new));
	}
}
