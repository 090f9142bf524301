/* The files that a process has loaded, from the text of its mappings. */
#include "metal/mapped.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

static char seen[512];
static unsigned count, stop_at;

static int visit(const struct metal_mapping *mapping, void *arg)
{
	size_t length = strlen(seen);

	assert_ptr_equal(arg, seen);
	snprintf(seen + length, sizeof(seen) - length, "%s;", mapping->path);
	return ++count == stop_at ? 42 : 0;
}

static int each(const char *text)
{
	CLEANUP_FREE char *copy = strdup(text);

	seen[0] = '\0';
	count = 0;
	return metal_mapped_each(copy, visit, seen);
}

TEST(every_file_with_code_is_visited_once)
{
	assert_int_equal(each("7f00-7f01 r--p 00000000 08:01 11   /data\n"
			      "7f01-7f02 r--p 00000000 08:01 12   /lib/a.so\n"
			      "7f02-7f03 r-xp 00001000 08:01 12   /lib/a.so\n"
			      "7f03-7f04 r-xp 00002000 08:01 12   /lib/a.so\n"
			      "7f04-7f05 r-xp 00000000 08:02 12   /lib/b with blanks.so (deleted)\n"
			      "7f05-7f06 rwxp 00000000 00:00 0 \n"
			      "7f06-7f07 r-xp 00000000 00:00 0    [vdso]\n"
			      "7f07-7f08 r-xp 00000000 08:01 13   /memfd:x (deleted)"),
			 0);
	assert_string_equal(seen, "/lib/a.so;/lib/b with blanks.so (deleted);/memfd:x (deleted);");
}

TEST(malformed_lines_are_skipped)
{
	assert_int_equal(each(""), 0);
	assert_int_equal(
		each("\n\nnonsense\n7f01 r-xp\n-1--1 xxxx x x:x x /x\n7f02-7f03 r-xp 0 08:01\n"),
		0);
	assert_int_equal(count, 0);
}

TEST(a_visitor_can_end_the_search)
{
	stop_at = 1;
	assert_int_equal(each("1-2 r-xp 0 08:01 1 /a\n2-3 r-xp 0 08:01 2 /b\n"), 42);
	assert_string_equal(seen, "/a;");
	stop_at = 0;
}

TEST(more_files_than_any_process_has_are_not_a_problem)
{
	CLEANUP_BUF struct buf text = { 0 };

	for (unsigned i = 1; i <= 3000; i++)
		buf_printf(&text, "1-2 r-xp 0 08:01 %u /f\n", i);
	seen[0] = '\0';
	count = 0;
	assert_int_equal(metal_mapped_each(text.data, visit, seen), 0);
	assert_int_equal(count, 1024);
}

TEST(only_regular_files_are_opened)
{
	struct root root = { .fd = open("/", O_PATH | O_DIRECTORY) };
	const struct metal_mapping device = { .path = "/dev/null" };
	const struct metal_mapping folder = { .path = "/dev" };
	const struct metal_mapping none = { .path = "/nowhere/at/all" };
	const struct metal_mapping file = { .path = "/proc/self/exe" };
	CLEANUP_CLOSE int fd = -1;

	assert_int_equal(metal_mapped_open(&root, 1, &device), -EPERM);
	assert_int_equal(metal_mapped_open(&root, 1, &folder), -EPERM);
	assert_int_equal(metal_mapped_open(&root, 1, &none), -ENOENT);
	fd = metal_mapped_open(&root, 1, &file);
	assert_true(fd >= 0);
	close(root.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_with_code_is_visited_once),
		cmocka_unit_test(malformed_lines_are_skipped),
		cmocka_unit_test(a_visitor_can_end_the_search),
		cmocka_unit_test(more_files_than_any_process_has_are_not_a_problem),
		cmocka_unit_test(only_regular_files_are_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
