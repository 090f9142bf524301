/* Files are opened through links, except through those that another user may have created. */
#include "basic/chase.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

/* Directories that this user may not own have the sticky bit, such as /dev/shm. */
static char folder[] = "/dev/shm/unit_chase.XXXXXX";
static char planted[sizeof(folder) + 8]; /* a link to the folder, beside it */
static uid_t user;
static struct buf link_path;

uid_t __wrap_geteuid(void);

uid_t __wrap_geteuid(void)
{
	return user;
}

static int make_tree(void **state)
{
	(void)state;
	user = getuid();
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	snprintf(planted, sizeof(planted), "%s.link", folder);
	if (symlink(folder, planted) < 0 || mkdir("sticky", 0700) < 0 || mkdir("plain", 0700) < 0)
		return -1;
	/* For root, whose link would be that of the directory's owner. */
	if (user == 0 && lchown(planted, 1, 1) < 0)
		return -1;
	return chmod("sticky", 01777) < 0 || symlink("../file", "sticky/last") < 0 ||
	       symlink("../plain", "sticky/own") < 0 || symlink("../file", "plain/last") < 0 ||
	       symlink("/proc/self/fd", "plain/fd") < 0 || symlink("loop", "plain/loop") < 0;
}

static int remove_tree(void **state)
{
	static const char *const files[] = { "sticky/last", "sticky/own", "plain/last", "plain/fd",
					     "plain/loop",  "plain/new",  "file" };

	(void)state;
	buf_done(&link_path);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unlink(files[i]);
	rmdir("sticky");
	rmdir("plain");
	unlink(planted);
	return rmdir(folder);
}

/* Opens it for writing as a user. Returns 0 or -errno. */
static int try(const char *path, uid_t as)
{
	int fd;

	user = as;
	fd = chase_open(path, O_WRONLY | O_CREAT, 0600, &link_path);
	user = getuid();
	if (fd < 0)
		return fd;
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	return 0;
}

TEST(a_link_of_another_user_in_a_sticky_directory_is_not_followed)
{
	char path[sizeof(planted) + 8];

	snprintf(path, sizeof(path), "%s/file", planted);
	assert_int_equal(try(path, 2), -ELOOP);
	assert_string_equal(buf_text(&link_path), planted);
	assert_int_equal(access("file", F_OK), -1);
	user = 2;
	assert_int_equal(chase_directory(path, &link_path), -ELOOP);
	user = getuid();
	assert_string_equal(buf_text(&link_path), planted);
	/* Its owner may follow it. */
	assert_int_equal(try(path, getuid() ? getuid() : 1), 0);
	assert_int_equal(access("file", F_OK), 0);
	assert_int_equal(link_path.length, 0);
}

TEST(the_owner_of_a_sticky_directory_may_create_links_for_all)
{
	assert_int_equal(try("sticky/own/new", 2), 0);
	assert_int_equal(unlink("plain/new"), 0);
}

TEST(the_last_component_is_not_followed_in_a_sticky_directory)
{
	assert_int_equal(try("sticky/last", getuid()), -ELOOP);
	assert_non_null(strstr(buf_text(&link_path), "/sticky/last"));
	assert_int_equal(try("plain/last", getuid()), 0);
}

TEST(other_errors_are_those_of_open)
{
	assert_int_equal(try("plain/loop", getuid()), -ELOOP);
	assert_int_equal(link_path.length, 0);
	assert_int_equal(try("plain/loop/file", getuid()), -ELOOP);
	assert_int_equal(try("", getuid()), -ENOENT);
	assert_int_equal(try("nothing/file", getuid()), -ENOENT);
	assert_int_equal(try("file/below", getuid()), -ENOTDIR);
	assert_int_equal(try("file/", getuid()), -ENOTDIR);
	assert_int_equal(try("plain/", getuid()), -EISDIR);
	assert_int_equal(try("/", getuid()), -EISDIR);
}

TEST(links_of_procfs_lead_where_no_path_does)
{
	char path[32], byte;
	int ends[2], fd;

	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof(path), "plain/fd/%d", ends[1]);
	fd = chase_open(path, O_WRONLY, 0, &link_path);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

TEST(the_directory_of_a_file)
{
	int fd = chase_directory("sticky/../plain//new", &link_path);
	struct stat st;

	assert_string_equal(chase_name("sticky/../plain//new"), "new");
	assert_string_equal(chase_name("new"), "new");
	assert_int_equal(fstatat(fd, "last", &st, AT_SYMLINK_NOFOLLOW), 0);
	close(fd);
	fd = chase_directory("new", &link_path);
	assert_int_equal(fstatat(fd, "sticky", &st, 0), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_of_another_user_in_a_sticky_directory_is_not_followed),
		cmocka_unit_test(the_owner_of_a_sticky_directory_may_create_links_for_all),
		cmocka_unit_test(the_last_component_is_not_followed_in_a_sticky_directory),
		cmocka_unit_test(other_errors_are_those_of_open),
		cmocka_unit_test(links_of_procfs_lead_where_no_path_does),
		cmocka_unit_test(the_directory_of_a_file),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
