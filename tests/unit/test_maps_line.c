/* Lines of /proc/PID/maps. */
#include "basic/maps_line.h"
#include "unit.h"

#include <string.h>

static struct maps_line line;

static bool parses(const char *text)
{
	memset(&line, 0xff, sizeof(line));
	return maps_line_parse(text, &line);
}

TEST(a_mapped_file)
{
	assert_true(parses("7f0012ab0000-7f0012ac1000 r-xp 00001000 fd:0a 1234567890   /lib/a b.so "
			   "(deleted)"));
	assert_true(line.start == 0x7f0012ab0000 && line.end == 0x7f0012ac1000);
	assert_true(line.inode == 1234567890);
	assert_int_equal(line.major, 0xfd);
	assert_int_equal(line.minor, 0x0a);
	assert_true(line.is_executable);
	assert_string_equal(line.name, "/lib/a b.so (deleted)");
}

TEST(memory_without_a_file)
{
	assert_true(parses(
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0      [vsyscall]\nnext"));
	assert_string_equal(line.name, "[vsyscall]\nnext");
	assert_true(line.is_executable);
	assert_true(parses("1000-2000 rw-p 00000000 00:00 0 \n"));
	assert_string_equal(line.name, "\n");
	assert_false(line.is_executable);
	assert_true(parses("1000-2000 rw-p 00000000 00:00 0"));
	assert_string_equal(line.name, "");
}

TEST(other_text_is_refused)
{
	static const char *const texts[] = {
		"",
		"\n",
		"1000",
		"1000-",
		"1000-2000",
		"1000-2000 ",
		"1000-2000 rwxp",
		"1000-2000 rwxp\n",
		"1000-2000 rwx 0 08:01 1 /a",
		"1000-2000 rwxps 0 08:01 1 /a",
		"1000-2000 rwxp 0",
		"1000-2000 rwxp 0 08",
		"1000-2000 rwxp 0 08:01",
		"1000-2000 rwxp 0 08:01 ",
		"1000-2000 rwxp 0 08:01 1x /a",
		"1000-2000 rwxp 0 100000000:01 1 /a",
		"1000-2000 rwxp 0 08-01 1 /a",
		"1000 2000 rwxp 0 08:01 1 /a",
		"-1000-2000 rwxp 0 08:01 1 /a",
		" 1000-2000 rwxp 0 08:01 1 /a",
		"10000000000000000-2000 rwxp 0 08:01 1 /a",
		"1000-2000 rwxp 0 08:01 18446744073709551616 /a",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(parses(texts[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapped_file),
		cmocka_unit_test(memory_without_a_file),
		cmocka_unit_test(other_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
