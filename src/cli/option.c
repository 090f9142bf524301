#include "cli/option.h"

#include "basic/parse.h"
#include "basic/text.h"
#include "basic/exit_code.h"
#include "cli/look.h"
#include "cli/error_line.h"
#include "model/select.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { HELP_AT = 30, HELP_WIDTH = 78 };

/* Breaks a help text at blanks so that it stays within the width. */
static void put_wrapped(struct buf *out, const char *text)
{
	size_t at = HELP_AT;

	while (*text) {
		size_t length = strcspn(text, " "), width = text_width(text, length);

		if (at > HELP_AT && at + 1 + width > HELP_WIDTH) {
			buf_putc(out, '\n');
			buf_fill(out, ' ', HELP_AT);
			at = HELP_AT;
		} else if (at > HELP_AT) {
			buf_putc(out, ' ');
			at++;
		}
		buf_add(out, text, length);
		at += width;
		text += length;
		text += strspn(text, " ");
	}
	buf_putc(out, '\n');
}

static void put_names(struct buf *out, const struct option *option)
{
	const char *second = strchr(option->names, ' ');
	bool long_only = strncmp(option->names, "--", 2) == 0;

	buf_printf(out, "%s%.*s", long_only ? "      " : "  ", (int)strcspn(option->names, " "),
		   option->names);
	if (second && !long_only)
		buf_printf(out, ", %.*s", (int)strcspn(second + 1, " "), second + 1);
	if (option->argument == ARGUMENT)
		buf_printf(out, " %s", option->argument_name);
	else if (option->argument == NUMBER_OR_NOTHING)
		buf_printf(out, " [%s]", option->argument_name);
	else if (option->argument == INLINE_OR_NOTHING)
		buf_printf(out, "[=%s]", option->argument_name);
}

static void put_option(struct buf *out, const struct option *option)
{
	CLEANUP_BUF struct buf names = { 0 };
	size_t width;

	put_names(&names, option);
	width = text_width(buf_text(&names), names.length);
	buf_puts(out, buf_text(&names));
	if (width + 2 > HELP_AT) {
		buf_putc(out, '\n');
		width = 0;
	}
	buf_fill(out, ' ', HELP_AT - width);
	put_wrapped(out, option->help);
}

void option_put_help(struct buf *out, const struct option *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_option(out, &table[i]);
}

static const struct option *find_option(const struct option *table, size_t count, const char *word,
					size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (parse_has_word(table[i].names, word, length))
			return &table[i];
	return NULL;
}

bool option_is_number(const char *text)
{
	return text && text[0] && strspn(text, "0123456789.") == strlen(text);
}

/* "-n5": -lms500 before -l5. */
static void split_short(const struct option *table, size_t count, struct given *given)
{
	for (size_t n = strlen(given->word) - 1; n >= 2; n--) {
		const struct option *option = find_option(table, count, given->word, n);
		const char *value = given->word + n;

		if (!option || option->argument == NO_ARGUMENT ||
		    (option->argument == NUMBER_OR_NOTHING && !option_is_number(value)))
			continue;
		given->option = option;
		given->value = value;
		return;
	}
}

/* "--name=value", "-n5", or a name whose value may be the next word. How many words it took. */
static int split_words(const struct option *table, size_t count, const char *next,
		       struct given *given)
{
	const char *word = given->word;
	bool is_long = strncmp(word, "--", 2) == 0;
	const char *equals = is_long ? strchr(word, '=') : NULL;
	const struct option *option =
		find_option(table, count, word, equals ? (size_t)(equals - word) : strlen(word));

	given->option = option;
	given->value = equals ? equals + 1 : NULL;
	if (!option && !is_long)
		split_short(table, count, given);
	if (!option || equals || !next ||
	    !(option->argument == ARGUMENT ||
	      (option->argument == NUMBER_OR_NOTHING && option_is_number(next))))
		return 1;
	given->value = next;
	return 2;
}

int option_parse(const struct option *table, size_t count, const char *command, int argc,
		 char **argv, void *options)
{
	int words;

	for (int i = 1; i < argc; i += words) {
		struct given given = { .word = argv[i] };
		int code;

		if (argv[i][0] != '-')
			return error_line(EXIT_USAGE,
					  "unexpected argument \"%s\"; %s -h lists the options",
					  argv[i], command);
		words = split_words(table, count, argv[i + 1], &given);
		if (!given.option)
			return error_line(EXIT_USAGE,
					  "unknown option \"%s\"; %s -h lists the options", argv[i],
					  command);
		if (given.option->argument == ARGUMENT && !given.value)
			return error_line(EXIT_USAGE, "%s wants %s", argv[i],
					  given.option->argument_name);
		if (given.option->argument == NO_ARGUMENT && given.value)
			return error_line(EXIT_USAGE, "%s takes no value", argv[i]);
		code = given.option->set(&given, (char *)options + given.option->offset);
		if (code)
			return code;
	}
	return 0;
}

/* ---- what options do ---- */

/* Its first name, however it was typed. */
static int name_length(const struct given *given)
{
	return (int)strcspn(given->option->names, " ");
}

int option_flag(const struct given *given, void *member)
{
	bool *flag = member;

	(void)given;
	*flag = true;
	return 0;
}

int option_text(const struct given *given, void *member)
{
	const char **text = member;

	*text = given->value;
	return 0;
}

int option_root(const struct given *given, void *member)
{
	const char **root = member;

	*root = given->value[0] ? given->value : NULL;
	return 0;
}

int option_number(const struct given *given, unsigned low, unsigned high, unsigned *ret)
{
	uint32_t number;

	if (parse_u32(given->value, &number) < 0 || number < low || number > high)
		return error_line(EXIT_USAGE, "%.*s: \"%s\" is not a number from %u to %u",
				  name_length(given), given->option->names, given->value, low,
				  high);
	*ret = number;
	return 0;
}

int option_count(const struct given *given, void *member)
{
	return option_number(given, 1, UINT32_MAX, member);
}

int option_refresh(const struct given *given, void *member)
{
	return option_number(given, 100, 60000, member);
}

int option_color(const struct given *given, void *member)
{
	enum color *color = member;

	if (strcmp(given->value, "auto") == 0)
		*color = COLOR_AUTO;
	else if (strcmp(given->value, "always") == 0)
		*color = COLOR_ALWAYS;
	else if (strcmp(given->value, "never") == 0)
		*color = COLOR_NEVER;
	else
		return error_line(EXIT_USAGE, "--color: \"%s\" is not auto, always or never",
				  given->value);
	return 0;
}

int option_selection(const struct given *given, void *member)
{
	int r = selection_add(member, given->value);

	if (r == -EINVAL)
		return error_line(EXIT_USAGE, "%.*s: an empty device name in \"%s\"",
				  name_length(given), given->option->names, given->value);
	return r < 0 ? error_line(EXIT_INTERNAL, "out of memory") : 0;
}

int option_json(const struct given *given, void *member)
{
	enum json *json = member;
	const char *value = given->value;

	if (!value)
		*json = MAX(*json, JSON_AUTO);
	else if (strcmp(value, "compact") == 0)
		*json = JSON_COMPACT;
	else if (strcmp(value, "pretty") == 0)
		*json = JSON_PRETTY;
	else
		return error_line(EXIT_USAGE, "--json: \"%s\" is neither compact nor pretty",
				  value);
	return 0;
}

bool json_is_pretty(enum json json, bool single)
{
	return json == JSON_PRETTY || (json == JSON_AUTO && single && isatty(STDOUT_FILENO));
}
