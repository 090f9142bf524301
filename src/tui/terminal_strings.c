#include "tui/terminal_strings.h"

#include "tui/theme.h"

#include <curses.h>
#include <errno.h>
#include <string.h>
#include <term.h>

/* The value of a terminfo capability; NULL: this terminal does not have it. */
static const char *find(const char *name)
{
	const char *text = tigetstr(name);

	return text == (const char *)-1 ? NULL : text;
}

/* Appends a terminfo string, without padding delays ($<5>), which old hardware terminals needed. */
static void append(char *text, size_t size, const char *string)
{
	size_t length = strlen(text);

	while (string && *string && length + 1 < size) {
		const char *end = strncmp(string, "$<", 2) == 0 ? strchr(string, '>') : NULL;

		if (end)
			string = end + 1;
		else
			text[length++] = *string++;
	}
	text[length] = '\0';
}

void terminal_expand(const char *template, int first, int second, char *text, size_t size)
{
	text[0] = '\0';
	append(text, size, tiparm(template, first, second));
}

/*
 * sgr0 of most terminals also selects the default character set. We never change the character set,
 * so ESC [ m suffices, which halves the bytes for a change of style.
 */
static void find_reset(struct terminal_strings *strings)
{
	static const char usual[] = "\033[m";
	const char *text = find("sgr0");

	append(strings->reset, sizeof(strings->reset), text && strstr(text, usual) ? usual : text);
}

/*
 * Does the terminal use the ECMA-48 sequences for cursor movement, as nearly all do? Then the
 * length of each movement is known, and the shortest can be chosen.
 */
static bool is_ordinary(void)
{
	static const struct {
		const char *name, *string;
	} usual[] = {
		{ "cup", "\033[%i%p1%d;%p2%dH" },
		{ "hpa", "\033[%i%p1%dG" },
		{ "vpa", "\033[%i%p1%dd" },
		{ "cuu", "\033[%p1%dA" },
		{ "cud", "\033[%p1%dB" },
		{ "cuf", "\033[%p1%dC" },
		{ "cub", "\033[%p1%dD" },
		{ "cud1", "\n" },
		{ "cub1", "\b" },
		{ "cr", "\r" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
		const char *string = find(usual[i].name);

		if (!string || strcmp(string, usual[i].string) != 0)
			return false;
	}
	return true;
}

static bool contains(const char *name, const char *part)
{
	const char *text = find(name);

	return text && strstr(text, part);
}

/*
 * DECSC and DECRC, which include attributes and colours. Some terminals save the cursor with them
 * when the full screen begins: then the saved place is needed when it ends.
 */
static bool can_save(void)
{
	static const char save[] = "\0337", restore[] = "\0338";
	const char *sc = find("sc"), *rc = find("rc");

	return sc && rc && strcmp(sc, save) == 0 && strcmp(rc, restore) == 0 &&
	       !contains("smcup", save) && !contains("rmcup", restore);
}

int terminal_strings_find(struct terminal_strings *ret)
{
	*ret = (struct terminal_strings){
		.address = find("cup"),
		.is_ordinary = is_ordinary(),
		.can_save = is_ordinary() && can_save(),
		.can_fill = tigetflag("am") <= 0 || tigetflag("xenl") > 0,
	};
	append(ret->erase, sizeof(ret->erase), find("el"));
	append(ret->clear, sizeof(ret->clear), find("clear"));
	find_reset(ret);
	return ret->address && ret->clear[0] ? 0 : -ENOTTY;
}

static const struct video {
	attr_t attribute;
	const char *name;
	int bit; /* in no_color_video (ncv): it cannot be combined with colours */
} videos[] = {
	{ A_BOLD, "bold", 32 },
	{ A_DIM, "dim", 16 },
	{ A_REVERSE, "rev", 4 },
	{ A_UNDERLINE, "smul", 2 },
};

static void add_color(char *text, size_t size, const char *name, int color)
{
	const char *template = find(name);

	if (template && color >= 0)
		append(text, size, tiparm(template, color));
}

/* Joins "ESC [ 1 m ESC [ 38;5;80 m" to "ESC [ 1;38;5;80 m". */
static void join_sequences(char *text)
{
	char *at;

	while ((at = strstr(text, "m\033[")) && at > text) {
		at[0] = ';';
		memmove(at + 1, at + 3, strlen(at + 3) + 1);
	}
}

static void set_style(char *text, size_t size, const struct theme_style *look, int without)
{
	bool color = look->text >= 0 || look->background >= 0;

	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(videos); i++)
		if ((look->attributes & videos[i].attribute) &&
		    !(color && (without & videos[i].bit)))
			append(text, size, find(videos[i].name));
	add_color(text, size, "setaf", look->text);
	add_color(text, size, "setab", look->background);
}

/* Does the second style set everything that the first one sets, so that no reset is needed? */
static bool covers(const struct theme_style *first, const struct theme_style *second)
{
	return !(first->attributes & ~second->attributes) &&
	       (first->text < 0 || second->text >= 0) &&
	       (first->background < 0 || second->background >= 0);
}

void terminal_strings_set_styles(struct terminal_strings *strings)
{
	int without = MAX(tigetnum("ncv"), 0);
	struct theme_style looks[STYLE_N];

	for (enum style style = 0; style < STYLE_N; style++) {
		char *text = strings->styles[style];

		looks[style] = theme_style(style);
		set_style(text, sizeof(strings->styles[style]), &looks[style], without);
		if (strings->is_ordinary)
			join_sequences(text);
	}
	for (enum style from = 0; from < STYLE_N; from++)
		for (enum style to = 0; to < STYLE_N; to++)
			strings->covers[from][to] = covers(&looks[from], &looks[to]);
}

size_t terminal_style_cost(const struct terminal_strings *strings, enum style from, enum style to)
{
	size_t length;

	if (from == to)
		return 0;
	length = strlen(strings->styles[to]);
	if (strings->covers[from][to] || !strings->styles[from][0])
		return length;
	return length + (strings->is_ordinary && length ? 2 : strlen(strings->reset));
}

void terminal_change_style(const struct terminal_strings *strings, enum style from, enum style to,
			   struct buf *out)
{
	const char *text = strings->styles[to];

	if (strings->covers[from][to] || !strings->styles[from][0]) {
		buf_puts(out, text);
	} else if (strings->is_ordinary && text[0]) {
		buf_puts(out, "\033[0;");
		buf_puts(out, text + 2);
	} else {
		buf_puts(out, strings->reset);
		buf_puts(out, text);
	}
}
