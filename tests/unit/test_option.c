/* The option parser and its help. */
#include "basic/option.h"
#include "unit.h"

#include <stdio.h>

struct values {
	bool quiet, verbose;
	const char *file, *root;
	uint32_t count;
	bool looped;
	const char *period, *form;
	int mode, color;
};

static int set_count(const struct option_given *given, void *member)
{
	return option_number(given, 1, 100, member);
}

static int set_loop(const struct option_given *given, void *arg)
{
	struct values *values = arg;

	values->looped = true;
	values->period = given->value;
	return 0;
}

static int set_mode(const struct option_given *given, void *member)
{
	int *mode = member;

	*mode = given->option->choice;
	return 0;
}

#define AT(member) offsetof(struct values, member)

static const char *const colors[] = { "red", "green", "blue" };

static const struct option_spec rows[] = {
	{ "-q --quiet", NO_ARGUMENT, NULL, "only errors", option_flag, AT(quiet) },
	{ "-v --verbose", NO_ARGUMENT, NULL, "more", option_flag, AT(verbose) },
	{ "-f --file --filename", ARGUMENT, "FILE", "write there", option_text, AT(file) },
	{ "--root", ARGUMENT, "DIR", "look there", option_root, AT(root) },
	{ "-n --count", ARGUMENT, "COUNT", "samples", set_count, AT(count) },
	{ "-l --loop", NUMBER_OR_NOTHING, "SEC", "again", set_loop, 0 },
	{ "-lms --loop-ms", NUMBER_OR_NOTHING, "MS", "again", set_loop, 0 },
	{ "--json", INLINE_OR_NOTHING, "pretty", "JSON", option_text, AT(form) },
	{ "--old --older", NO_ARGUMENT, NULL, "one of two", set_mode, AT(mode), 7 },
	{ "-p --paint", ARGUMENT, "COLOR", "paint", option_word, AT(color), OPTION_VALUES(colors) },
};

static struct values values;
static struct option_words words;
static struct buf error;

/* Words separated by blanks. */
static int parse(enum option_operands operands, const char *line)
{
	static char text[256], *argv[20];
	const struct option_table table = { rows, ARRAY_SIZE(rows), "prog", operands };
	int argc = 1;

	snprintf(text, sizeof(text), "%s", line);
	memset(argv, 0, sizeof(argv));
	argv[0] = (char[]){ "prog" };
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	values = (struct values){ 0 };
	buf_reset(&error);
	return option_parse(&table, argc, argv, &values, &words, &error);
}

static void refuses(enum option_operands operands, const char *line, const char *reason)
{
	assert_int_equal(parse(operands, line), EXIT_USAGE);
	assert_string_equal(buf_text(&error), reason);
}

TEST(every_form_of_an_option_is_accepted)
{
	assert_int_equal(parse(OPERANDS_NONE, "-q --file a -n 5 --root=/x --older"), 0);
	assert_true(values.quiet);
	assert_false(values.verbose);
	assert_string_equal(values.file, "a");
	assert_int_equal(values.count, 5);
	assert_string_equal(values.root, "/x");
	assert_int_equal(values.mode, 7);
	assert_int_equal(parse(OPERANDS_NONE, "-qv -fa -n7 --root="), 0);
	assert_true(values.quiet && values.verbose);
	assert_string_equal(values.file, "a");
	assert_int_equal(values.count, 7);
	assert_null(values.root);
}

TEST(a_value_may_be_optional)
{
	assert_int_equal(parse(OPERANDS_NONE, "-l 5 -q"), 0);
	assert_string_equal(values.period, "5");
	assert_int_equal(parse(OPERANDS_NONE, "-l -q"), 0);
	assert_true(values.looped);
	assert_null(values.period);
	assert_int_equal(parse(OPERANDS_NONE, "-lms500"), 0);
	assert_string_equal(values.period, "500");
	assert_int_equal(parse(OPERANDS_NONE, "--json=pretty"), 0);
	assert_string_equal(values.form, "pretty");
	assert_int_equal(parse(OPERANDS_NONE, "--json -q"), 0);
	assert_null(values.form);
}

TEST(long_names_may_be_cut_short_while_they_are_unambiguous)
{
	assert_int_equal(parse(OPERANDS_NONE, "--verb --cou=3"), 0);
	assert_true(values.verbose);
	assert_int_equal(values.count, 3);
	assert_int_equal(parse(OPERANDS_NONE, "--fil a"),
			 0); /* two names begin so, of one option */
	assert_string_equal(values.file, "a");
	assert_int_equal(parse(OPERANDS_NONE, "--old"),
			 0); /* an exact name, though a longer one begins so */
	refuses(OPERANDS_NONE, "--lo", "unknown option \"--lo\"; prog -h lists the options");
}

TEST(errors_name_the_option)
{
	refuses(OPERANDS_NONE, "--nothing",
		"unknown option \"--nothing\"; prog -h lists the options");
	refuses(OPERANDS_NONE, "-qx", "unknown option \"-qx\"; prog -h lists the options");
	refuses(OPERANDS_NONE, "-", "unknown option \"-\"; prog -h lists the options");
	refuses(OPERANDS_NONE, "word", "unexpected argument \"word\"; prog -h lists the options");
	refuses(OPERANDS_NONE, "-q --file", "--file needs a value: FILE");
	refuses(OPERANDS_NONE, "--quiet=1", "--quiet=1 takes no value");
	refuses(OPERANDS_NONE, "-n 101", "-n: \"101\" is not a number from 1 to 100");
}

TEST(operands_may_be_anywhere)
{
	assert_int_equal(parse(OPERANDS_ANY, "a -q b - -f x -- -v c"), 0);
	assert_true(values.quiet);
	assert_false(values.verbose);
	assert_int_equal(words.count, 5);
	assert_string_equal(words.operands[0], "a");
	assert_string_equal(words.operands[1], "b");
	assert_string_equal(words.operands[2], "-");
	assert_string_equal(words.operands[3], "-v");
	assert_string_equal(words.operands[4], "c");
	assert_null(words.operands[5]);
	assert_null(words.command);
}

TEST(a_command_line_is_passed_unchanged)
{
	assert_int_equal(parse(OPERANDS_COMMAND, "-q run -v"), 0);
	assert_true(values.quiet);
	assert_false(values.verbose);
	assert_string_equal(words.command[0], "run");
	assert_string_equal(words.command[1], "-v");
	assert_int_equal(parse(OPERANDS_COMMAND, "-- -v"), 0);
	assert_string_equal(words.command[0], "-v");
	assert_int_equal(parse(OPERANDS_BEFORE_COMMAND, "dir -q -- run -v"), 0);
	assert_int_equal(words.count, 1);
	assert_string_equal(words.operands[0], "dir");
	assert_null(words.operands[1]);
	assert_string_equal(words.command[0], "run");
	assert_string_equal(words.command[1], "-v");
	assert_null(words.command[2]);
	assert_int_equal(parse(OPERANDS_BEFORE_COMMAND, "--"), 0);
	assert_int_equal(words.count, 0);
	assert_null(words.command[0]);
}

TEST(help_has_names_argument_and_wrapped_text)
{
	static const struct option_spec some[] = {
		{ "-n --count", ARGUMENT, "COUNT", "samples", set_count, 0 },
		{ "--a-name-that-is-very-long-indeed", INLINE_OR_NOTHING, "X",
		  "a text that is long enough to need a second line of its own", option_text, 0 },
		{ "-l --loop", NUMBER_OR_NOTHING, "SEC", "again", set_loop, 0 },
		{ "-p --paint", ARGUMENT, "COLOR", "paint", option_word, 0, OPTION_VALUES(colors) },
		{ "--dye", INLINE_OR_NOTHING, NULL, "dye", option_word, 0, OPTION_VALUES(colors) },
	};
	const struct option_table table = { some, ARRAY_SIZE(some), "prog" };
	CLEANUP_BUF struct buf text = { 0 };

	option_put_help(&text, &table);
	assert_string_equal(
		buf_text(&text),
		"  -n, --count COUNT           samples\n"
		"      --a-name-that-is-very-long-indeed[=X]\n"
		"                              a text that is long enough to need a second line\n"
		"                              of its own\n"
		"  -l, --loop [SEC]            again\n"
		"  -p, --paint COLOR           paint: red, green or blue\n"
		"      --dye[=red|green|blue]  dye\n");
}

TEST(a_value_is_one_of_the_listed_words)
{
	assert_int_equal(parse(OPERANDS_NONE, "--paint=green"), 0);
	assert_int_equal(values.color, 1);
	assert_int_equal(parse(OPERANDS_NONE, "-p blue"), 0);
	assert_int_equal(values.color, 2);
	refuses(OPERANDS_NONE, "-p gre", "-p: \"gre\" is not red, green or blue");
	refuses(OPERANDS_NONE, "-p", "-p needs a value: COLOR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_an_option_is_accepted),
		cmocka_unit_test(a_value_may_be_optional),
		cmocka_unit_test(long_names_may_be_cut_short_while_they_are_unambiguous),
		cmocka_unit_test(errors_name_the_option),
		cmocka_unit_test(operands_may_be_anywhere),
		cmocka_unit_test(a_command_line_is_passed_unchanged),
		cmocka_unit_test(a_value_is_one_of_the_listed_words),
		cmocka_unit_test(help_has_names_argument_and_wrapped_text),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	buf_done(&error);
	return failed;
}
