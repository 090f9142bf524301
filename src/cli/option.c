#include "cli/option.h"

#include "basic/parse.h"
#include "basic/text.h"
#include "cli/exit.h"
#include "cli/say.h"

#include <errno.h>
#include <string.h>

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

void option_put_help(struct buf *out, const struct option *option)
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

/* Is this word among an option's names? */
static bool has_name(const struct option *option, const char *word, size_t length)
{
	const char *name = option->names;

	while (*name) {
		size_t n = strcspn(name, " ");

		if (n == length && strncmp(name, word, length) == 0)
			return true;
		name += n;
		name += *name == ' ';
	}
	return false;
}

static int find_option(const struct option *table, size_t count, const char *word, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (has_name(&table[i], word, length))
			return (int)i;
	return -1;
}

bool option_is_number(const char *text)
{
	return text && text[0] && strspn(text, "0123456789.") == strlen(text);
}

/*
 * Splits one word: "--name=value", "-n5", or a name whose value is the next word.
 * -1: no such option.
 */
static int split_word(const struct option *table, size_t count, const char *word, const char *next,
		      const char **ret_value, bool *ret_took_next)
{
	const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	int id = find_option(table, count, word, length);

	*ret_value = equals ? equals + 1 : NULL;
	*ret_took_next = false;
	if (id < 0 && !equals && word[0] == '-' && word[1] != '-') {
		/* -lms500 before -l5 */
		for (size_t n = strlen(word) - 1; id < 0 && n >= 2; n--) {
			id = find_option(table, count, word, n);
			if (id >= 0 && (table[id].argument == NO_ARGUMENT ||
					(table[id].argument == NUMBER_OR_NOTHING &&
					 !option_is_number(word + n))))
				id = -1;
			*ret_value = word + n;
		}
		return id;
	}
	if (id < 0 || equals)
		return id;
	if (table[id].argument == ARGUMENT ||
	    (table[id].argument == NUMBER_OR_NOTHING && option_is_number(next))) {
		*ret_value = next;
		*ret_took_next = next != NULL;
	}
	return id;
}

/* One word, or two: *ret_words. 0, or an exit code. */
static int parse_option(const struct option *table, size_t count, const char *command, char **argv,
			struct parsed_option *ret, int *ret_words)
{
	bool took_next = false;

	*ret = (struct parsed_option){ .id = -1, .word = argv[0] };
	if (argv[0][0] == '-')
		ret->id = split_word(table, count, argv[0], argv[1], &ret->value, &took_next);
	if (ret->id < 0)
		return say(EXIT_USAGE, "%s \"%s\"; %s -h lists the options",
			   argv[0][0] == '-' ? "unknown option" : "unexpected argument", argv[0],
			   command);
	if (table[ret->id].argument == ARGUMENT && !ret->value)
		return say(EXIT_USAGE, "%s wants %s", argv[0], table[ret->id].argument_name);
	if (table[ret->id].argument == NO_ARGUMENT && ret->value)
		return say(EXIT_USAGE, "%s takes no value", argv[0]);
	*ret_words = 1 + took_next;
	return 0;
}

int options_each(const struct option *table, size_t count, const char *command, int argc,
		 char **argv, int (*apply)(void *arg, const struct parsed_option *option),
		 void *arg)
{
	int words = 1;

	for (int i = 1; i < argc; i += words) {
		struct parsed_option option;
		int r = parse_option(table, count, command, argv + i, &option, &words);

		if (r == 0)
			r = apply(arg, &option);
		if (r)
			return r;
	}
	return 0;
}

int option_number(const char *what, const char *text, unsigned low, unsigned high, unsigned *ret)
{
	uint32_t number;

	if (parse_u32(text, &number) < 0 || number < low || number > high)
		return say(EXIT_USAGE, "%s: \"%s\" is not a number from %u to %u", what, text, low,
			   high);
	*ret = number;
	return 0;
}

int option_color(const char *value, enum color *ret)
{
	if (strcmp(value, "auto") == 0)
		*ret = COLOR_AUTO;
	else if (strcmp(value, "always") == 0)
		*ret = COLOR_ALWAYS;
	else if (strcmp(value, "never") == 0)
		*ret = COLOR_NEVER;
	else
		return say(EXIT_USAGE, "--color: \"%s\" is not auto, always or never", value);
	return 0;
}

int option_selection(const char *what, const char *value, struct selection *ret)
{
	int r = selection_add(ret, value);

	if (r == -EINVAL)
		return say(EXIT_USAGE, "%s: an empty device name in \"%s\"", what, value);
	return r < 0 ? say(EXIT_INTERNAL, "out of memory") : 0;
}

int option_pretty(const char *value, enum pretty *ret)
{
	if (value && strcmp(value, "compact") == 0)
		*ret = PRETTY_NO;
	else if (value && strcmp(value, "pretty") == 0)
		*ret = PRETTY_YES;
	else if (value)
		return say(EXIT_USAGE, "--json: \"%s\" is neither compact nor pretty", value);
	return 0;
}
