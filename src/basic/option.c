#include "basic/option.h"

#include "basic/parse.h"
#include "basic/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HELP_AT = 30, HELP_WIDTH = 78 };

/* ---- help ---- */

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

static void put_names(struct buf *out, const struct option_spec *option)
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

static void put_option(struct buf *out, const struct option_spec *option)
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

void option_put_help(struct buf *out, const struct option_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		put_option(out, &table->rows[i]);
}

/* ---- names ---- */

static const struct option_spec *find_exact(const struct option_table *table, const char *word,
					    size_t length)
{
	for (size_t i = 0; i < table->count; i++)
		if (parse_has_word(table->rows[i].names, word, length))
			return &table->rows[i];
	return NULL;
}

static bool has_beginning(const char *names, const char *word, size_t length)
{
	while (*names) {
		size_t n = strcspn(names, " ");

		if (n > length && strncmp(names, word, length) == 0)
			return true;
		names += n + strspn(names + n, " ");
	}
	return false;
}

/* A long name may be cut short as long as only one option begins so. */
static const struct option_spec *find_beginning(const struct option_table *table, const char *word,
						size_t length)
{
	const struct option_spec *found = NULL;

	if (length < 3)
		return NULL;
	for (size_t i = 0; i < table->count; i++) {
		if (!has_beginning(table->rows[i].names, word, length))
			continue;
		if (found)
			return NULL;
		found = &table->rows[i];
	}
	return found;
}

bool option_is_number(const char *text)
{
	return text && text[0] && strspn(text, "0123456789.") == strlen(text);
}

/* ---- parsing ---- */

struct parser {
	const struct option_table *table;
	void *values;
	struct buf *error;
};

PRINTF(2, 3) static int fail(const struct parser *parser, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprintf(parser->error, format, ap);
	va_end(ap);
	return EXIT_USAGE;
}

static int apply(const struct parser *parser, struct option_given *given)
{
	const struct option_spec *option = given->option;

	if (option->argument == ARGUMENT && !given->value)
		return fail(parser, "%s wants %s", given->word, option->argument_name);
	if (option->argument == NO_ARGUMENT && given->value)
		return fail(parser, "%s takes no value", given->word);
	given->error = parser->error;
	return option->set(given, (char *)parser->values + option->offset);
}

/* "--name=value" or a name whose value may be the next word. *ret_words: how many it took. */
static int take_named(const struct parser *parser, const struct option_spec *option, char **argv,
		      const char *equals, int *ret_words)
{
	struct option_given given = { .option = option, .word = argv[0] };

	*ret_words = 1;
	if (equals) {
		given.value = equals + 1;
	} else if (argv[1] &&
		   (option->argument == ARGUMENT ||
		    (option->argument == NUMBER_OR_NOTHING && option_is_number(argv[1])))) {
		given.value = argv[1];
		*ret_words = 2;
	}
	return apply(parser, &given);
}

/* "-n5"; the longest name counts: -lms500 before -l5. False: it is nothing like that. */
static bool take_attached(const struct parser *parser, const char *word, int *ret_code)
{
	for (size_t n = strlen(word) - 1; n >= 2; n--) {
		struct option_given given = {
			.option = find_exact(parser->table, word, n),
			.word = word,
			.value = word + n,
		};

		if (!given.option || given.option->argument == NO_ARGUMENT ||
		    (given.option->argument == NUMBER_OR_NOTHING && !option_is_number(word + n)))
			continue;
		*ret_code = apply(parser, &given);
		return true;
	}
	return false;
}

/* "-qv": flags of one letter each. */
static bool take_flags(const struct parser *parser, const char *word, int *ret_code)
{
	*ret_code = 0;
	for (const char *letter = word + 1; *letter; letter++) {
		const struct option_spec *option =
			find_exact(parser->table, (char[]){ '-', *letter }, 2);

		if (!option || option->argument != NO_ARGUMENT)
			return false;
	}
	for (const char *letter = word + 1; *letter && *ret_code == 0; letter++) {
		struct option_given given = {
			.option = find_exact(parser->table, (char[]){ '-', *letter }, 2),
			.word = word,
		};

		*ret_code = apply(parser, &given);
	}
	return true;
}

static int take_option(const struct parser *parser, char **argv, int *ret_words)
{
	const char *word = argv[0], *equals;
	bool is_long = strncmp(word, "--", 2) == 0;
	const struct option_spec *option;
	size_t length;
	int code;

	equals = is_long ? strchr(word, '=') : NULL;
	length = equals ? (size_t)(equals - word) : strlen(word);
	option = find_exact(parser->table, word, length);
	if (!option && is_long)
		option = find_beginning(parser->table, word, length);
	if (option)
		return take_named(parser, option, argv, equals, ret_words);
	*ret_words = 1;
	if (!is_long && word[1] &&
	    (take_attached(parser, word, &code) || take_flags(parser, word, &code)))
		return code;
	return fail(parser, "unknown option \"%s\"; %s -h lists the options", word,
		    parser->table->command);
}

/* "--": what follows is no option. Returns how many words that takes. */
static int take_rest(const struct option_table *table, char **rest, int left,
		     struct option_words *words)
{
	if (table->operands != OPERANDS_ANY) {
		words->command = rest;
		return left;
	}
	for (int i = 0; i < left; i++)
		words->operands[words->count++] = rest[i];
	return left;
}

int option_parse(const struct option_table *table, int argc, char **argv, void *values,
		 struct option_words *ret, struct buf *error)
{
	const struct parser parser = { table, values, error };
	struct option_words none, *words = ret ? ret : &none;
	int taken, code;

	*words = (struct option_words){ .operands = argv + MIN(argc, 1) };
	for (int i = 1; i < argc; i += taken) {
		taken = 1;
		if (argv[i][0] == '-' && (argv[i][1] || table->operands == OPERANDS_NONE)) {
			if (strcmp(argv[i], "--") == 0 && table->operands != OPERANDS_NONE) {
				taken += take_rest(table, argv + i + 1, argc - i - 1, words);
				continue;
			}
			code = take_option(&parser, argv + i, &taken);
			if (code)
				return code;
		} else if (table->operands == OPERANDS_NONE) {
			return fail(&parser, "unexpected argument \"%s\"; %s -h lists the options",
				    argv[i], table->command);
		} else if (table->operands == OPERANDS_COMMAND) {
			words->command = argv + i;
			return 0;
		} else {
			words->operands[words->count++] = argv[i];
		}
	}
	if (table->operands == OPERANDS_ANY || table->operands == OPERANDS_BEFORE_COMMAND)
		words->operands[words->count] = NULL;
	return 0;
}

/* ---- what options do ---- */

int option_error(const struct option_given *given, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprintf(given->error, format, ap);
	va_end(ap);
	return code;
}

int option_flag(const struct option_given *given, void *member)
{
	bool *flag = member;

	(void)given;
	*flag = true;
	return 0;
}

int option_text(const struct option_given *given, void *member)
{
	const char **text = member;

	*text = given->value;
	return 0;
}

int option_root(const struct option_given *given, void *member)
{
	const char **root = member;

	*root = given->value[0] ? given->value : NULL;
	return 0;
}

int option_ignore(const struct option_given *given, void *member)
{
	(void)given;
	(void)member;
	return 0;
}

int option_number(const struct option_given *given, uint32_t low, uint32_t high, uint32_t *ret)
{
	uint32_t number;

	if (parse_u32(given->value, &number) < 0 || number < low || number > high)
		return option_error(given, EXIT_USAGE, "%.*s: \"%s\" is not a number from %u to %u",
				    (int)strcspn(given->option->names, " "), given->option->names,
				    given->value, low, high);
	*ret = number;
	return 0;
}
