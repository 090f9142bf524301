/* Small files, open descriptors, directories, and other kinds of files in their place. */
#include "basic/file.h"
#include "basic/root.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static char folder[] = "/tmp/unit_file.XXXXXX";
static int at = -1;

static void put(const char *name, const void *data, size_t length)
{
	int fd = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, length), length);
	close(fd);
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return at < 0;
}

static int remove_folder(void **state)
{
	static const char *const files[] = { "text", "empty", "big",	"fifo",
					     "link", "exact", "list/b", "list/a" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unlinkat(at, files[i], 0);
	unlinkat(at, "list", AT_REMOVEDIR);
	close(at);
	return rmdir(folder);
}

TEST(a_file_is_read_whole_and_terminated)
{
	char text[8];

	put("text", "500\n", 4);
	put("empty", "", 0);
	memset(text, 'x', sizeof(text));
	assert_int_equal(file_read(at, "text", text, sizeof(text)), 4);
	assert_string_equal(text, "500\n");
	assert_int_equal(file_read(at, "empty", text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

TEST(a_file_that_does_not_fit_is_too_big_not_cut)
{
	char text[8];

	put("exact", "1234567", 7);
	assert_int_equal(file_read(at, "exact", text, sizeof(text)), 7);
	put("exact", "12345678", 8);
	assert_int_equal(file_read(at, "exact", text, sizeof(text)), -EFBIG);
}

TEST(a_kept_descriptor_reads_from_the_start_each_time)
{
	CLEANUP_CLOSE int fd = -1;
	char text[8];

	put("text", "1\n", 2);
	fd = openat(at, "text", O_RDONLY | O_CLOEXEC);
	assert_int_equal(file_pread(fd, text, sizeof(text)), 2);
	put("text", "22\n", 3);
	assert_int_equal(file_pread(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "22\n");
	assert_int_equal(file_pread(fd, text, 3), -EFBIG);
}

TEST(anything_but_a_file_is_an_error)
{
	CLEANUP_BUF struct buf all = { 0 };
	char text[8];

	assert_int_equal(file_read(at, "nothing", text, sizeof(text)), -ENOENT);
	assert_int_equal(file_read(at, ".", text, sizeof(text)), -EISDIR);
	assert_int_equal(file_read(at, "text/below", text, sizeof(text)), -ENOTDIR);
	assert_int_equal(file_read_all(at, "nothing", 100, &all), -ENOENT);
	assert_int_equal(file_read_all(at, ".", 100, &all), -EISDIR);
}

TEST(a_fifo_without_a_writer_does_not_hang)
{
	CLEANUP_BUF struct buf all = { 0 };
	char text[8];

	assert_int_equal(mkfifoat(at, "fifo", 0600), 0);
	alarm(300);
	assert_int_equal(file_read(at, "fifo", text, sizeof(text)), 0);
	assert_int_equal(file_read_all(at, "fifo", 100, &all), 0);
	assert_int_equal(all.length, 0);
	alarm(0);
}

TEST(a_large_file_is_read_up_to_its_limit)
{
	CLEANUP_BUF struct buf all = { 0 };
	char big[10000];

	memset(big, 'b', sizeof(big));
	put("big", big, sizeof(big));
	assert_int_equal(file_read_all(at, "big", 10000, &all), 0);
	assert_int_equal(all.length, 10000);
	assert_int_equal(file_read_all(at, "big", 9999, &all), -EFBIG);
	assert_int_equal(file_read_all(at, "empty", 10, &all), 0);
	assert_int_equal(all.length, 0);
}

TEST(a_link_is_read_or_too_long)
{
	char text[16];

	assert_int_equal(symlinkat("../../0000:01", at, "link"), 0);
	assert_int_equal(file_readlink(at, "link", text, sizeof(text)), 13);
	assert_string_equal(text, "../../0000:01");
	assert_int_equal(file_readlink(at, "link", text, 13), -ENAMETOOLONG);
	assert_int_equal(file_readlink(at, "text", text, sizeof(text)), -EINVAL);
}

static int visit(const char *name, void *arg)
{
	char *names = arg;

	assert_true(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
	strcat(names, name);
	return strlen(names) == 3 ? 17 : 0;
}

TEST(a_directory_is_read_until_the_visitor_stops)
{
	char names[8] = "";

	assert_int_equal(mkdirat(at, "list", 0700), 0);
	put("list/a", "", 0);
	put("list/b", "", 0);
	assert_int_equal(directory_each(at, "list", visit, names), 0);
	assert_int_equal(strlen(names), 2);
	assert_true(strchr(names, 'a') && strchr(names, 'b'));
	assert_int_equal(directory_each(at, "list", visit, names), 17);
	assert_int_equal(directory_each(at, "text", visit, names), -ENOTDIR);
	assert_int_equal(directory_each(at, "nothing", visit, names), -ENOENT);
}

TEST(a_root_has_its_canonical_path)
{
	char path[64], text[8];
	struct root root;

	assert_int_equal(root_init(&root, NULL), 0);
	assert_true(root.live);
	assert_string_equal(root.path, "");
	root_done(&root);
	assert_int_equal(root_init(&root, "/tmp/.."), 0);
	assert_true(root.live);
	root_done(&root);

	snprintf(path, sizeof(path), "%s/.//", folder);
	assert_int_equal(root_init(&root, path), 0);
	assert_false(root.live);
	assert_string_equal(root.path, folder);
	assert_int_equal(root_read(&root, "text", text, sizeof(text)), 3);
	root_done(&root);
	assert_int_equal(root.fd, -1);

	snprintf(path, sizeof(path), "%s/text", folder);
	assert_int_equal(root_init(&root, path), -ENOTDIR);
	snprintf(path, sizeof(path), "%s/nothing", folder);
	assert_int_equal(root_init(&root, path), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_whole_and_terminated),
		cmocka_unit_test(a_file_that_does_not_fit_is_too_big_not_cut),
		cmocka_unit_test(a_kept_descriptor_reads_from_the_start_each_time),
		cmocka_unit_test(anything_but_a_file_is_an_error),
		cmocka_unit_test(a_fifo_without_a_writer_does_not_hang),
		cmocka_unit_test(a_large_file_is_read_up_to_its_limit),
		cmocka_unit_test(a_link_is_read_or_too_long),
		cmocka_unit_test(a_directory_is_read_until_the_visitor_stops),
		cmocka_unit_test(a_root_has_its_canonical_path),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
