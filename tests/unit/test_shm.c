/*
 * Files of TT-Metal in a /dev/shm that changes between samples: created and removed files are
 * noticed, and nothing else is opened. The test controls the wall clock.
 */
#include "basic/clock.h"
#include "source/shm.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree[32];
static struct root root;
static struct shm_folder folder;

/* CLOCK_REALTIME; the linker redirects the calls. */
static int64_t wall_ns;

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (clock != CLOCK_REALTIME)
		return __real_clock_gettime(clock, ret);
	*ret = clock_timespec(wall_ns);
	return 0;
}

static int make_tree(void **state)
{
	(void)state;
	snprintf(tree, sizeof(tree), "/tmp/unit_shm.XXXXXX");
	if (!mkdtemp(tree) || root_init(&root, tree) < 0)
		return -1;
	mkdirat(root.fd, "dev", 0700);
	mkdirat(root.fd, "dev/shm", 0700);
	wall_ns = 5000 * NS_PER_S;
	shm_folder_init(&folder, &root);
	return 0;
}

static int remove_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_tree(void **state)
{
	(void)state;
	shm_folder_done(&folder);
	root_done(&root);
	return nftw(tree, remove_file, 16, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *path, const char *text)
{
	int fd = openat(root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* The time at which the directory was last changed, as the file system has it. */
static void stamp(int64_t ns)
{
	const struct timespec times[2] = { clock_timespec(ns), clock_timespec(ns) };

	assert_int_equal(utimensat(root.fd, "dev/shm", times, 0), 0);
}

/* Those that are listed, by id: "1m 2u ". */
static void assert_listed(const char *expected)
{
	char text[512] = "";

	assert_int_equal(shm_folder_refresh(&folder), 0);
	for (size_t i = 0; i < folder.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%llu%c ",
			 (unsigned long long)folder.files[i].id,
			 folder.files[i].kind == SHM_MEMORY ? 'm' : 'u');
	assert_string_equal(text, expected);
}

static void assert_read(size_t at, const char *expected)
{
	char text[64] = "";
	uid_t owner = 12345;
	ssize_t n = shm_folder_read(&folder, at, text, sizeof(text) - 1, &owner);

	assert_int_equal(n, strlen(expected));
	assert_string_equal(text, expected);
	assert_int_equal(owner, geteuid());
}

TEST(other_file_names_are_ignored)
{
	static const char *const names[] = {
		"tt_device__memory",
		"tt_device_01_memory",
		"tt_device_1_memory2",
		"tt_device_1_utility",
		"tt_device_1",
		"tt_device_x_memory",
		"tt_device_-1_memory",
		"xtt_device_1_memory",
		"tt_device_1_memory.tmp",
		"tt_device_18446744073709551616_memory",  /* beyond 64 bits */
		"tt_device_184467440737095516150_memory", /* 21 digits */
		"tt_device_1844674407370955161500000000000_memory",
	};
	char path[96];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "dev/shm/%s", names[i]);
		put(path, "x");
	}
	assert_listed("");
	assert_false(shm_folder_has(&folder, SHM_MEMORY));
	put("dev/shm/tt_device_18446744073709551615_memory", "x");
	put("dev/shm/tt_device_0_util", "x");
	assert_listed("0u 18446744073709551615m ");
	assert_true(shm_folder_has(&folder, SHM_MEMORY));
	assert_true(shm_folder_has(&folder, SHM_UTIL));
}

TEST(files_created_or_removed_between_samples_are_noticed)
{
	const int64_t then = 1000 * NS_PER_S;

	put("dev/shm/tt_device_10_memory", "ten");
	stamp(then);
	assert_listed("10m ");
	assert_read(0, "ten");
	/* A nanosecond later, and a whole second. */
	put("dev/shm/tt_device_2_memory", "two");
	stamp(then + 1);
	assert_listed("2m 10m ");
	assert_read(0, "two");
	assert_read(1, "ten");
	put("dev/shm/tt_device_3_util", "three");
	stamp(then + 1 + NS_PER_S);
	assert_listed("2m 3u 10m ");
	/* Back in time: the clock was set. */
	assert_int_equal(unlinkat(root.fd, "dev/shm/tt_device_2_memory", 0), 0);
	stamp(then);
	assert_listed("3u 10m ");
	assert_read(0, "three");
}

TEST(an_unchanged_directory_is_not_listed_again)
{
	const int64_t then = 1000 * NS_PER_S;

	put("dev/shm/tt_device_1_memory", "one");
	stamp(then);
	assert_listed("1m ");
	/* The time stamp says that nothing has changed. */
	put("dev/shm/tt_device_2_memory", "two");
	stamp(then);
	assert_listed("1m ");
	/* Changed content of a file is read nevertheless. */
	assert_read(0, "one");
	put("dev/shm/tt_device_1_memory", "more");
	assert_read(0, "more");
}

TEST(a_directory_that_just_changed_is_listed_again)
{
	/* In the same tick of the file system's clock another file may have been created. */
	put("dev/shm/tt_device_1_memory", "one");
	stamp(wall_ns - 100 * NS_PER_MS);
	assert_listed("1m ");
	put("dev/shm/tt_device_2_memory", "two");
	stamp(wall_ns - 100 * NS_PER_MS);
	assert_listed("1m 2m ");
	/* A time stamp in the future is never final. */
	stamp(wall_ns + NS_PER_S);
	assert_listed("1m 2m ");
	put("dev/shm/tt_device_3_memory", "three");
	stamp(wall_ns + NS_PER_S);
	assert_listed("1m 2m 3m ");
	/* Once the tick is over, that time stamp is final. */
	stamp(wall_ns - 100 * NS_PER_MS - 1);
	assert_listed("1m 2m 3m ");
	put("dev/shm/tt_device_4_memory", "four");
	stamp(wall_ns - 100 * NS_PER_MS - 1);
	assert_listed("1m 2m 3m ");
}

TEST(another_directory_with_the_same_time_is_listed)
{
	put("dev/shm/tt_device_1_memory", "old");
	stamp(1000 * NS_PER_S);
	assert_listed("1m ");
	assert_read(0, "old");
	assert_int_equal(renameat(root.fd, "dev/shm", root.fd, "dev/before"), 0);
	assert_int_equal(shm_folder_refresh(&folder), -ENOENT);
	assert_int_equal(folder.count, 0);
	/* The same directory comes back. */
	assert_int_equal(renameat(root.fd, "dev/before", root.fd, "dev/shm"), 0);
	assert_listed("1m ");
	assert_int_equal(renameat(root.fd, "dev/shm", root.fd, "dev/before"), 0);
	assert_int_equal(mkdirat(root.fd, "dev/shm", 0700), 0);
	put("dev/shm/tt_device_1_memory", "new");
	put("dev/shm/tt_device_2_memory", "two");
	stamp(1000 * NS_PER_S);
	assert_listed("1m 2m ");
	assert_read(0, "new");
	/* Another directory takes its place at once, without a sample in between. */
	assert_int_equal(renameat2(root.fd, "dev/shm", root.fd, "dev/before", RENAME_EXCHANGE), 0);
	assert_listed("1m ");
	assert_read(0, "old");
}

TEST(a_replaced_file_is_read_again)
{
	put("dev/shm/tt_device_1_memory", "old");
	stamp(1000 * NS_PER_S);
	assert_listed("1m ");
	assert_read(0, "old");
	assert_int_equal(unlinkat(root.fd, "dev/shm/tt_device_1_memory", 0), 0);
	put("dev/shm/tt_device_1_memory", "new");
	stamp(1001 * NS_PER_S);
	assert_listed("1m ");
	assert_read(0, "new");
}

TEST(only_regular_files_are_opened_without_following_links)
{
	char text[8];
	uid_t owner;

	put("dev/elsewhere", "secret");
	assert_int_equal(symlinkat("../elsewhere", root.fd, "dev/shm/tt_device_1_memory"), 0);
	assert_int_equal(mkfifoat(root.fd, "dev/shm/tt_device_2_memory", 0600), 0);
	assert_int_equal(mkdirat(root.fd, "dev/shm/tt_device_3_memory", 0700), 0);
	assert_listed("1m 2m 3m ");
	for (size_t i = 0; i < 3; i++)
		assert_true(shm_folder_read(&folder, i, text, sizeof(text), &owner) < 0);
}

TEST(many_files_are_sorted_by_id_and_few_stay_open)
{
	char path[64], text[16];
	uid_t owner;

	for (unsigned i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "dev/shm/tt_device_%u_memory", (i * 7) % 300);
		snprintf(text, sizeof(text), "%u", (i * 7) % 300);
		put(path, text);
	}
	assert_int_equal(shm_folder_refresh(&folder), 0);
	assert_int_equal(folder.count, 300);
	for (unsigned i = 0; i < 300; i++) {
		memset(text, 0, sizeof(text));
		assert_true(shm_folder_read(&folder, i, text, sizeof(text), &owner) > 0);
		assert_int_equal(folder.files[i].id, i);
		assert_int_equal(strtoul(text, NULL, 10), i);
		assert_int_equal(folder.files[i].fd >= 0, i < 256);
	}
}

#define TREE(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE(other_file_names_are_ignored),
		TREE(files_created_or_removed_between_samples_are_noticed),
		TREE(an_unchanged_directory_is_not_listed_again),
		TREE(a_directory_that_just_changed_is_listed_again),
		TREE(another_directory_with_the_same_time_is_listed),
		TREE(a_replaced_file_is_read_again),
		TREE(only_regular_files_are_opened_without_following_links),
		TREE(many_files_are_sorted_by_id_and_few_stay_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
