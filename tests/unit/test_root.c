/* A tree is a separate machine: no link leads out of it, with or without openat2(). */
#include "basic/file.h"
#include "basic/root.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static char folder[] = "/dev/shm/unit_root.XXXXXX";
static struct root root;

static const char *const folders[] = { "tree",	   "tree/sys", "tree/sys/class", "tree/sys/devices",
				       "tree/etc", "etc" };

static const struct {
	const char *name, *text;
} files[] = { { "etc/name", "outside" },
	      { "tree/etc/name", "inside" },
	      { "tree/sys/devices/value", "5" } };

static const struct {
	const char *name, *target;
} links[] = {
	{ "tree/sys/class/absolute", "/sys/devices" },
	{ "tree/sys/class/relative", "../devices" },
	{ "tree/sys/class/above", "../../../../../../etc" },
	{ "tree/sys/class/twice", "/sys/class/absolute" },
	{ "tree/name", "/etc/name" },
	{ "tree/hosts", "/proc/self/status" },
	{ "tree/loop", "/loop" },
};

static int make_tree(void **state)
{
	char path[128];

	(void)state;
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (mkdir(folders[i], 0700) < 0)
			return -1;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		FILE *file = fopen(files[i].name, "w");

		if (!file || fputs(files[i].text, file) < 0 || fclose(file) != 0)
			return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (symlink(links[i].target, links[i].name) < 0)
			return -1;
	snprintf(path, sizeof(path), "%s/tree", folder);
	return root_init(&root, path);
}

static int remove_tree(void **state)
{
	(void)state;
	root_done(&root);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		unlink(links[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unlink(files[i].name);
	for (size_t i = ARRAY_SIZE(folders); i-- > 0;)
		rmdir(folders[i]);
	return rmdir(folder);
}

static void assert_reads(const char *path, const char *expected)
{
	char text[64];

	assert_int_equal(root_read(&root, path, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
}

static void assert_fails(const char *path, int error)
{
	char text[64];

	assert_int_equal(root_read(&root, path, text, sizeof(text)), error);
}

TEST(absolute_links_start_at_the_root_of_the_tree)
{
	assert_true(root.confined);
	assert_reads("sys/class/absolute/value", "5");
	assert_reads("sys/class/relative/value", "5");
	assert_reads("sys/class/twice/value", "5");
	assert_reads("name", "inside");
	assert_reads("sys/class/absolute/../../name", "inside");
}

TEST(no_link_leads_out_of_the_tree)
{
	assert_reads("sys/class/above/name", "inside");
	assert_reads("../etc/name", "inside");
	assert_fails("hosts", -ENOENT);
	assert_fails("loop", -ELOOP);
	assert_fails("sys/class/absolute/nothing", -ENOENT);
	assert_fails("etc/name/below", -ENOTDIR);
}

TEST(links_below_a_directory_start_at_the_root_too)
{
	int dir = root_open(&root, "sys/class", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int outside = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = root_open_at(&root, dir, "twice/value", O_RDONLY | O_CLOEXEC);
	char text[8];

	assert_int_equal(file_read_open(fd, text, sizeof(text)), 1);
	assert_int_equal(root_open_at(&root, outside, "etc/name", O_RDONLY), -EXDEV);
	close(fd);
	close(dir);
	close(outside);
}

TEST(stat_and_access_stay_in_the_tree)
{
	struct stat st;
	char text[64];

	assert_int_equal(root_stat(&root, "name", &st), 0);
	assert_int_equal(st.st_size, strlen("inside"));
	assert_int_equal(root_stat(&root, "hosts", &st), -ENOENT);
	assert_int_equal(root_access(&root, "sys/class/twice/value", R_OK), 0);
	assert_int_equal(root_access(&root, "hosts", F_OK), -ENOENT);
	assert_int_equal(root_readlink(&root, "sys/class/twice", text, sizeof(text)), 19);
	assert_string_equal(text, "/sys/class/absolute");
	assert_int_equal(root_open_memory(&root, "sys/name"), -EPERM);
}

TEST(a_tree_with_the_older_marker_is_simulated)
{
	struct root other;
	char path[128];

	snprintf(path, sizeof(path), "%s/tree", folder);
	assert_int_equal(root_init(&other, path), 0);
	assert_false(other.simulated);
	root_done(&other);
	assert_true(mknod("tree/ttsim", S_IFREG | 0600, 0) == 0);
	assert_int_equal(root_init(&other, path), 0);
	assert_true(other.simulated);
	assert_false(other.confined);
	root_done(&other);
	unlink("tree/ttsim");
}

TEST(only_a_running_simulated_machine_may_have_links_out_of_its_tree)
{
	struct root other;
	char path[128], text[64];

	snprintf(path, sizeof(path), "%s/tree", folder);
	assert_true(mknod("tree/simulated", S_IFREG | 0600, 0) == 0);
	assert_int_equal(root_init(&other, path), 0);
	assert_false(other.confined);
	assert_true(root_read(&other, "hosts", text, sizeof(text)) == -EFBIG);
	root_done(&other);
	assert_true(mknod("tree/captured_at", S_IFREG | 0600, 0) == 0);
	assert_int_equal(root_init(&other, path), 0);
	assert_true(other.confined);
	root_done(&other);
	unlink("tree/simulated");
	unlink("tree/captured_at");
}

/* openat2() is unknown here anyway, as under valgrind: it cannot be forbidden, and need not be. */
static bool always_unknown;

static bool openat2_is_unknown(void)
{
	return syscall(SYS_openat2, -1, "", NULL, 0) < 0 && errno == ENOSYS;
}

/* From here on: a kernel before 5.6, or a container that forbids unknown calls. */
TEST(a_kernel_without_openat2)
{
	const int *error = *state;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)*error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };

	if (always_unknown) {
		print_message("openat2 is unknown here without a filter\n");
		skip();
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		print_message("no filter of system calls here: %s\n", strerror(errno));
		skip();
	}
	assert_int_equal(syscall(SYS_openat2, -1, "", NULL, 0), -1);
	assert_int_equal(errno, *error);
}

int main(void)
{
	static int unknown = ENOSYS, forbidden = EPERM;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absolute_links_start_at_the_root_of_the_tree),
		cmocka_unit_test(no_link_leads_out_of_the_tree),
		cmocka_unit_test(links_below_a_directory_start_at_the_root_too),
		cmocka_unit_test(stat_and_access_stay_in_the_tree),
		cmocka_unit_test(a_tree_with_the_older_marker_is_simulated),
		cmocka_unit_test(only_a_running_simulated_machine_may_have_links_out_of_its_tree),
		cmocka_unit_test_prestate(a_kernel_without_openat2, &unknown),
		cmocka_unit_test(absolute_links_start_at_the_root_of_the_tree),
		cmocka_unit_test(no_link_leads_out_of_the_tree),
		cmocka_unit_test(links_below_a_directory_start_at_the_root_too),
		cmocka_unit_test(stat_and_access_stay_in_the_tree),
		cmocka_unit_test_prestate(a_kernel_without_openat2, &forbidden),
		cmocka_unit_test(absolute_links_start_at_the_root_of_the_tree),
		cmocka_unit_test(no_link_leads_out_of_the_tree),
	};

	always_unknown = openat2_is_unknown();
	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
