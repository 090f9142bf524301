#include "basic/option.h"

#include "basic/parse.h"
#include "basic/suggestion.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A long name may be abbreviated if only one option matches. */
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

	if (option->argument == ARGUMENT && !given->value) {
		buf_printf(parser->error, "%s needs a value: ", given->word);
		option_put_argument(parser->error, option);
		return EXIT_USAGE;
	}
	if (option->argument == NO_ARGUMENT && given->value)
		return fail(parser, "%s takes no value", given->word);
	given->error = parser->error;
	return option->set(given, (char *)parser->values + option->offset);
}

/* "--name=value", or a name whose value may be the next word. *ret_words: number of words used. */
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

/* "-n5". The longest name wins: -lms500 before -l5. False: not of this form. */
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

/* "-qv": single-letter flags. */
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

/* "-x", also among other letters: "-qx". */
static const struct option_hint *find_hint(const struct option_table *table, const char *word,
					   size_t length)
{
	bool is_long = strncmp(word, "--", 2) == 0;

	for (size_t i = 0; i < table->n_hints; i++) {
		const struct option_hint *hint = &table->hints[i];

		if (parse_has_word(hint->names, word, length))
			return hint;
		for (size_t n = 1; !is_long && n < length; n++)
			if (parse_has_word(hint->names, (char[]){ '-', word[n] }, 2))
				return hint;
	}
	return NULL;
}

/* The long name that is closest to the word. */
static struct suggestion suggest(const struct option_table *table, const char *word, size_t length)
{
	struct suggestion suggestion = suggestion_begin(word, length);

	for (size_t i = 0; i < table->count; i++) {
		const char *name = table->rows[i].names;

		while (*name) {
			size_t n = strcspn(name, " ");

			if (n > 2 && name[1] == '-')
				suggestion_try(&suggestion, name, n);
			name += n + strspn(name + n, " ");
		}
	}
	return suggestion;
}

/* Dashes are not compared: otherwise every short option would be close to every other one. */
static int fail_unknown(const struct parser *parser, const char *word, size_t length)
{
	const struct option_table *table = parser->table;
	const struct option_hint *hint = find_hint(table, word, length);
	struct suggestion near = suggest(table, word, length);

	if (hint)
		return fail(parser, "unknown option \"%s\": %s", word, hint->text);
	if (length > 4 && near.best && near.distance <= (length - 2) / 3 + 1)
		return fail(
			parser,
			"unknown option \"%s\" (did you mean \"%.*s\"?); %s -h lists the options",
			word, (int)near.best_length, near.best, table->command);
	return fail(parser, "unknown option \"%s\"; %s -h lists the options", word, table->command);
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
	return fail_unknown(parser, word, length);
}

int option_find_operand(const struct option_table *table, int argc, char **argv, bool *ret_unknown)
{
	bool unknown = false;
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0) {
		const struct option_spec *option = find_exact(table, argv[i], strlen(argv[i]));

		if (!option && strncmp(argv[i], "--", 2) == 0 && !strchr(argv[i], '='))
			option = find_beginning(table, argv[i], strlen(argv[i]));
		unknown |= !option && !strchr(argv[i], '=');
		i += option && (option->argument == ARGUMENT ||
				(option->argument == NUMBER_OR_NOTHING && i + 1 < argc &&
				 option_is_number(argv[i + 1])))
			     ? 2
			     : 1;
	}
	*ret_unknown = unknown;
	return i < argc && strcmp(argv[i], "--") != 0 && argv[i][0] != '-' ? i : argc;
}

/* After "--" there are no options. Returns the number of words used. */
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

/* ---- setters ---- */

int option_error(const struct option_given *given, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprintf(given->error, format, ap);
	va_end(ap);
	return code;
}

int option_error_word(const struct option_given *given, const char *word, size_t length)
{
	const struct option_spec *option = given->option;

	buf_printf(given->error, "%.*s: \"%.*s\" is not ", (int)strcspn(option->names, " "),
		   option->names, (int)length, word);
	option_put_values(given->error, option, ", ", " or ");
	return EXIT_USAGE;
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

const char *option_root_default(void)
{
	const char *root = getenv("TT_SMI_ROOT");

	return root && root[0] ? root : NULL;
}

int option_root(const struct option_given *given, void *member)
{
	const char **root = member;

	*root = given->value[0] ? given->value : NULL;
	return 0;
}

int option_word(const struct option_given *given, void *member)
{
	const struct option_spec *option = given->option;
	int *index = member;

	for (size_t i = 0; i < option->n_values; i++)
		if (strcmp(given->value, option->values[i]) == 0) {
			*index = (int)i;
			return 0;
		}
	return option_error_word(given, given->value, strlen(given->value));
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
