/* The tracer's text of compute utilisation: understood whole, or not at all. */
#include "proto/dispatch.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAD                                                                               \
	"PID      Comm CHIP START DEVICE BUSY WINDOW BOUND PROGRAMS RUNNING LAST UPDATED " \
	"STATE OPERATION\n-------- ---- - -\n"
#define LINE   "1234 python3 3 987654 - 850000000 1000000000 exact 850 - 1000000 5000 ok ttnn::add\n"
#define DEVICE "0 - - 0 7 1 4 lower 2 9 8 6 ok -\n"
#define ALL    "1234 python3 - 987654 - - - - - - - 5000 not-covered -\n"

static struct dispatch_line *lines;
static size_t count;

static int forget(void **state)
{
	(void)state;
	free(lines);
	lines = NULL;
	count = 99;
	return 0;
}

static int parse(const char *text)
{
	forget(NULL);
	return dispatch_parse(text, &lines, &count);
}

/* A line that differs from LINE in one column, from 0. */
static int parse_with(unsigned column, const char *word)
{
	char text[1024] = HEAD, line[] = LINE, *rest = line, *next;

	for (unsigned i = 0; (next = strsep(&rest, " \n")) && *next; i++) {
		strcat(text, i == column ? word : next);
		strcat(text, " ");
	}
	strcat(text, "\n");
	return parse(text);
}

TEST(a_line_of_a_chip_has_every_figure)
{
	assert_int_equal(parse(HEAD LINE), 0);
	assert_int_equal(count, 1);
	assert_int_equal(lines->pid, 1234);
	assert_int_equal(lines->start_ticks, 987654);
	assert_true(lines->has_chip && lines->chip == 3 && !lines->has_device);
	assert_true(lines->has_figure && lines->bound == BOUND_EXACT);
	assert_int_equal(lines->busy, 850000000);
	assert_int_equal(lines->window, 1000000000);
	assert_int_equal(lines->programs, 850);
	assert_true(!lines->has_running && lines->has_last && lines->last == 1000000);
	assert_int_equal(lines->updated, 5000);
	assert_int_equal(lines->state, DISPATCH_OK);
	assert_string_equal(lines->operation, "ttnn::add");
}

TEST(a_line_of_a_device_and_one_of_all_chips)
{
	assert_int_equal(parse(HEAD DEVICE ALL), 0);
	assert_int_equal(count, 2);
	assert_true(lines[0].pid == 0 && lines[0].has_device && lines[0].device == 7);
	assert_true(lines[0].bound == BOUND_LOWER && lines[0].running == 9 && lines[0].last == 8);
	assert_string_equal(lines[0].operation, "");
	assert_true(lines[1].pid == 1234 && !lines[1].has_chip && !lines[1].has_figure);
	assert_int_equal(lines[1].state, DISPATCH_NOT_COVERED);
}

TEST(a_text_without_lines_is_whole)
{
	assert_int_equal(parse(HEAD), 0);
	assert_int_equal(count, 0);
}

#define EACH_STATE(name, word, ...) { DISPATCH_##name, word },

TEST(every_state_is_known)
{
	static const struct {
		enum dispatch_state state;
		const char *word;
	} states[] = { DISPATCH_STATES(EACH_STATE) };

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		assert_int_equal(parse_with(12, states[i].word), 0);
		assert_int_equal(lines->state, states[i].state);
	}
}

TEST(a_word_out_of_place_is_refused)
{
	static const struct {
		unsigned column;
		const char *word;
	} wrong[] = {
		{ 0, "-1" },
		{ 0, "4294967296" },
		{ 0, "0" }, /* a device has no chip */
		{ 1, "a_name_of_17chars" },
		{ 2, "x" },
		{ 2, "-" }, /* a figure is of one chip */
		{ 3, "-" },
		{ 4, "x" },
		{ 5, "-" },
		{ 5, "18446744073709551616" },
		{ 6, "-" },
		{ 6, "0" },
		{ 7, "-" },
		{ 7, "about" },
		{ 8, "-" },
		{ 9, "soon" },
		{ 10, "-1" },
		{ 11, "-" },
		{ 12, "weather" },
		{ 13, "an_operation_with_a_name_of_more_than_48_letters_" },
		{ 13, "two words" },
		{ 13, "" },
	};

	assert_int_equal(parse_with(99, ""), 0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (parse_with(wrong[i].column, wrong[i].word) != -EBADMSG)
			fail_msg("column %u: \"%s\" is taken", wrong[i].column, wrong[i].word);
}

TEST(a_text_that_was_cut_is_refused)
{
	char text[sizeof(HEAD LINE)];

	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		snprintf(text, sizeof(text), "%.*s", (int)n, HEAD LINE);
		if (n != strlen(HEAD))
			assert_true(parse(text) < 0);
	}
}

TEST(other_columns_are_another_version)
{
	assert_int_equal(parse("PID Comm CHIP\n- -\n"), -EPROTONOSUPPORT);
	assert_int_equal(parse("PID Comm CHIP START DEVICE BUSY WINDOW BOUND PROGRAMS RUNNING "
			       "LAST UPDATED STATE NAME\n- -\n"),
			 -EPROTONOSUPPORT);
}

#define AFTER(test) cmocka_unit_test_teardown(test, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AFTER(a_line_of_a_chip_has_every_figure),
		AFTER(a_line_of_a_device_and_one_of_all_chips),
		AFTER(a_text_without_lines_is_whole),
		AFTER(every_state_is_known),
		AFTER(a_word_out_of_place_is_refused),
		AFTER(a_text_that_was_cut_is_refused),
		AFTER(other_columns_are_another_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
