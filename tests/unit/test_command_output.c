#include "basic/clock.h"
#include "basic/command_output.h"
#include "unit.h"

#include <errno.h>

/* Runs a script in sh and takes the first line that it prints. */
static ssize_t run(const char *script, int64_t deadline_ns, char line[static 16])
{
	const char *const arguments[] = { "sh", "-c", script, NULL };

	return command_output_line("/bin/sh", arguments, deadline_ns, line, 16);
}

TEST(the_first_line_is_returned)
{
	char line[16];

	assert_int_equal(run("echo one; echo two", 60 * NS_PER_S, line), 3);
	assert_string_equal(line, "one");
	assert_int_equal(run("printf on; sleep 0.1; echo e", 60 * NS_PER_S, line), 3);
	assert_string_equal(line, "one");
	assert_int_equal(run("printf end", 60 * NS_PER_S, line), 3);
	assert_string_equal(line, "end");
	assert_int_equal(run("read line; echo no >&2; true", 60 * NS_PER_S, line), 0);
}

TEST(a_longer_line_is_refused)
{
	char line[16];

	assert_int_equal(run("echo 123456789012345", 60 * NS_PER_S, line), 15);
	assert_int_equal(run("echo 1234567890123456", 60 * NS_PER_S, line), -EFBIG);
}

TEST(a_silent_program_is_ended_at_the_deadline)
{
	char line[16];

	assert_int_equal(run("exec sleep 1000", 20 * NS_PER_MS, line), -ETIMEDOUT);
}

TEST(a_missing_program_is_an_error)
{
	const char *const arguments[] = { "none", NULL };
	char line[16];

	assert_int_equal(command_output_line("/nonexistent/none", arguments, NS_PER_S, line, 16),
			 -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_is_returned),
		cmocka_unit_test(a_longer_line_is_refused),
		cmocka_unit_test(a_silent_program_is_ended_at_the_deadline),
		cmocka_unit_test(a_missing_program_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
