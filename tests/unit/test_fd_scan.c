/*
 * The scan of all processes: it finds each that has a device open, and none that has closed it. The
 * test controls directories of descriptors, which behave like those of procfs: opening or closing a
 * file changes their size and nothing else.
 */
#include "basic/file.h"
#include "proto/table.h"
#include "source/fd_scan.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char tree[32];
static struct root root;
static struct fd_scan *scan;
static struct stat look_of_folder; /* what fstat() returns for every folder of descriptors */
static bool real_folders;	   /* folders are those of real processes */
static unsigned looks;		   /* how often such a folder was read */
static time_t seconds;		   /* since the test began */

/* The linker redirects these calls. */
int __real_fstat(int fd, struct stat *ret);
int __wrap_fstat(int fd, struct stat *ret);
int __real_root_stat(const struct root *where, const char *path, struct stat *ret);
int __wrap_root_stat(const struct root *where, const char *path, struct stat *ret);
int __real_root_open(const struct root *where, const char *path, int flags);
int __wrap_root_open(const struct root *where, const char *path, int flags);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	(void)clock;
	*ret = (struct timespec){ .tv_sec = 1000 + seconds };
	return 0;
}

int __wrap_fstat(int fd, struct stat *ret)
{
	if (real_folders)
		return __real_fstat(fd, ret);
	*ret = look_of_folder;
	return 0;
}

int __wrap_root_stat(const struct root *where, const char *path, struct stat *ret)
{
	if (real_folders)
		return __real_root_stat(where, path, ret);
	if (faccessat(where->fd, path, F_OK, 0) < 0)
		return -errno;
	*ret = look_of_folder;
	return 0;
}

int __wrap_root_open(const struct root *where, const char *path, int flags)
{
	size_t length = strlen(path);

	looks += length > 3 && strcmp(path + length - 3, "/fd") == 0;
	return __real_root_open(where, path, flags);
}

static int make_tree(void **state)
{
	(void)state;
	snprintf(tree, sizeof(tree), "/tmp/unit_walk.XXXXXX");
	if (!mkdtemp(tree) || root_init(&root, tree) < 0)
		return -1;
	mkdirat(root.fd, "proc", 0700);
	look_of_folder = (struct stat){ .st_size = 3,
					.st_ino = 7,
					.st_ctim = { .tv_sec = 100, .tv_nsec = 5 } };
	looks = 0;
	seconds = 0;
	real_folders = false;
	return fd_scan_new(&root, &scan);
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
	scan = fd_scan_free(scan);
	root_done(&root);
	return nftw(tree, remove_file, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_folder(int pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d", pid);
	mkdirat(root.fd, path, 0700);
	snprintf(path, sizeof(path), "proc/%d/%s", pid, name);
	mkdirat(root.fd, path, 0700);
}

/* Sets descriptor 3 of a process; NULL: it is closed. */
static void hold(int pid, const char *target)
{
	char path[64];

	make_folder(pid, "fd");
	snprintf(path, sizeof(path), "proc/%d/fd/3", pid);
	unlinkat(root.fd, path, 0);
	if (target)
		assert_int_equal(symlinkat(target, root.fd, path), 0);
}

static void map(int pid, const char *text)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "proc/%d/maps", pid);
	fd = openat(root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void end(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/proc/%d", tree, pid);
	assert_int_equal(nftw(path, remove_file, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static int note(int32_t pid, const struct open_files *seen, void *arg)
{
	char *text = arg;

	snprintf(text + strlen(text), 512 - strlen(text), "%d", pid);
	for (uint32_t i = 0; i < DEVICE_SET_MAX; i++)
		if (device_set_has(&seen->devices, i))
			snprintf(text + strlen(text), 512 - strlen(text), ":%u", i);
	snprintf(text + strlen(text), 512 - strlen(text), seen->tables.count ? "t " : " ");
	return 0;
}

/* Processes and their devices after the last scan: "10:0 12:0:1 ". */
static void assert_holders(const char *expected, bool complete)
{
	char text[512] = "";
	bool all;

	assert_int_equal(fd_scan_each(scan, false, note, text, &all), 0);
	assert_string_equal(text, expected);
	assert_int_equal(all, complete);
}

static void assert_walk(const char *expected)
{
	fd_scan_run(scan);
	assert_holders(expected, true);
}

TEST(holders_are_found_by_device_number_and_dropped_after_close)
{
	hold(20, "/dev/tenstorrent/255");
	hold(3, "/dev/tenstorrent/0");
	hold(100, "/dev/null");
	hold(7, "/dev/tenstorrent/256"); /* more than any machine has */
	assert_walk("3:0 20:255 ");
	look_of_folder.st_size = 2;
	hold(3, NULL);
	map(3, "");
	hold(100, "/dev/tenstorrent/64");
	assert_walk("20:255 100:64 ");
	end(20);
	assert_walk("100:64 ");
}

TEST(a_closed_device_is_noticed_if_the_number_of_descriptors_changed)
{
	const struct stat first = look_of_folder;

	for (int i = 0; i < 4; i++) {
		int pid = 15 + 16 * i; /* a process that is not read again soon without a change */
		char expected[16];

		hold(pid, "/dev/tenstorrent/1");
		map(pid, "");
		snprintf(expected, sizeof(expected), "%d:1 ", pid);
		assert_walk(expected);
		assert_walk(expected);
		hold(pid, NULL);
		look_of_folder.st_size += i == 0;
		look_of_folder.st_ino += i == 1; /* another process with that pid */
		look_of_folder.st_ctim.tv_sec += i == 2;
		look_of_folder.st_ctim.tv_nsec += i == 3;
		assert_walk("");
		look_of_folder = first;
		end(pid);
	}
}

TEST(a_change_that_keeps_the_number_of_descriptors_is_noticed_later)
{
	/* One descriptor closed, another opened: the directory looks unchanged. */
	for (int pid = 1; pid < 40; pid++) {
		char expected[16];
		int turns = 0;

		hold(pid, "/dev/tenstorrent/1");
		map(pid, "");
		fd_scan_run(scan);
		hold(pid, "/dev/null");
		snprintf(expected, sizeof(expected), "%d:1 ", pid);
		for (bool all = true, held = true; held && turns < 17; turns++) {
			char text[512] = "";

			seconds++;
			fd_scan_run(scan);
			assert_int_equal(fd_scan_each(scan, false, note, text, &all), 0);
			held = strcmp(text, expected) == 0;
		}
		assert_in_range(turns, 1, 16);
		end(pid);
		fd_scan_run(scan);
	}
}

TEST(unchanged_processes_are_rarely_read)
{
	for (int pid = 1; pid <= 32; pid++)
		hold(pid, "/dev/null");
	fd_scan_run(scan);
	assert_int_equal(looks, 32);
	for (int i = 0; i < 64; i++) {
		seconds += i % 4 == 3;
		looks = 0;
		fd_scan_run(scan);
		assert_int_equal(looks, i % 4 == 3 ? 2 : 0);
	}
	/* Kernels before 6.2 do not provide the number: all are read. */
	look_of_folder.st_size = 0;
	looks = 0;
	fd_scan_run(scan);
	fd_scan_run(scan);
	assert_int_equal(looks, 64);
}

TEST(a_process_that_ends_during_the_scan_hides_no_other)
{
	make_folder(5, "other"); /* its descriptors are closed already */
	hold(6, "/dev/tenstorrent/0");
	assert_walk("6:0 ");
}

TEST(an_unreadable_process_makes_the_scan_incomplete)
{
	char path[] = "proc/5/fd";

	make_folder(5, "other");
	hold(4, "/dev/tenstorrent/0");
	hold(6, "/dev/tenstorrent/1");
	close(openat(root.fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)); /* ENOTDIR */
	fd_scan_run(scan);
	assert_holders("4:0 6:1 ", false);
	/* It is read again in each scan, since that may be permitted by now. */
	assert_int_equal(unlinkat(root.fd, path, 0), 0);
	hold(5, "/dev/tenstorrent/2");
	assert_walk("4:0 5:2 6:1 ");
	/* Unreadable again: the device that it had open is unknown now. */
	hold(5, NULL);
	assert_int_equal(unlinkat(root.fd, path, AT_REMOVEDIR), 0);
	close(openat(root.fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	look_of_folder.st_size++;
	fd_scan_run(scan);
	assert_holders("4:0 6:1 ", false);
}

TEST(other_entries_of_proc_are_ignored)
{
	hold(0, "/dev/tenstorrent/0");
	mkdirat(root.fd, "proc/self", 0700);
	mkdirat(root.fd, "proc/4294967297", 0700);
	mkdirat(root.fd, "proc/-4", 0700);
	hold(1, "/dev/tenstorrent/0");
	assert_walk("1:0 ");
}

TEST(any_number_of_processes_is_scanned)
{
	char expected[64] = "";

	for (int pid = 1000; pid > 0; pid--)
		hold(pid, pid == 1 || pid == 256 || pid == 257 || pid == 1000 ? "/dev/tenstorrent/0"
									      : "/dev/null");
	snprintf(expected, sizeof(expected), "1:0 256:0 257:0 1000:0 ");
	assert_walk(expected);
	assert_walk(expected);
}

static int find_devices(const struct device_set *expected, struct open_files_cache *cache)
{
	int fd = -1;

	return open_files_update(fd_scan_reader(scan), expected, cache, &fd, false);
}

TEST(a_mapping_of_a_closed_device_is_found)
{
	struct device_set expected = { 0 };
	struct open_files_cache known = { .pid = 9 };

	hold(9, "/dev/null");
	map(9, "7f0000000000-7f0000001000 rw-s 00000000 00:05 9 /dev/tenstorrent/4\n");
	assert_int_equal(find_devices(&expected, &known), 0);
	assert_false(device_set_has(&known.seen.devices, 4)); /* device 4 was not expected */
	/* The process has not changed, but the driver lists it for device 4 now. */
	device_set_add(&expected, 4);
	assert_int_equal(find_devices(&expected, &known), 0);
	assert_true(device_set_has(&known.seen.devices, 4));
	/* A device that is no longer mapped is noticed a few scans later. */
	map(9, "");
	assert_int_equal(find_devices(&expected, &known), 0);
	assert_true(device_set_has(&known.seen.devices, 4));
	seconds = 16;
	assert_int_equal(find_devices(&expected, &known), 0);
	assert_false(device_set_has(&known.seen.devices, 4));
	known.pid = 10;
	assert_int_equal(find_devices(&expected, &known), -ENOENT);
}

TEST(a_process_that_has_not_run_is_read_again_later)
{
	struct device_set expected = { 0 };
	struct open_files_cache known = { .pid = 9 };

	hold(9, "/dev/tenstorrent/4");
	assert_int_equal(find_devices(&expected, &known), 0);
	seconds = 16;
	assert_false(open_files_are_unchanged(fd_scan_reader(scan), &expected, &known, -1));
	assert_true(open_files_outlast_idleness(&expected, &known));
	/* The driver lists it for another device: then it has run after all. */
	device_set_add(&expected, 5);
	assert_false(open_files_outlast_idleness(&expected, &known));
	expected = (struct device_set){ 0 };
	seconds = 64;
	assert_false(open_files_outlast_idleness(&expected, &known));
}

TEST(processes_that_only_report_memory_are_listed_on_request)
{
	char text[512] = "";
	bool all;

	hold(8, TABLE_LINK);
	assert_walk("");
	assert_int_equal(fd_scan_each(scan, true, note, text, &all), 0);
	assert_string_equal(text, "8t ");
}

/* A process that opens a file on request, and exits when the pipe is closed. */
static pid_t start_process(const char *file, int *ret_orders, int *ret_answers)
{
	int orders[2], answers[2];
	pid_t pid;
	char order;

	assert_int_equal(pipe2(orders, O_CLOEXEC), 0);
	assert_int_equal(pipe2(answers, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		close(orders[1]); /* so that it sees the end */
		while (write(answers[1], "", 1) == 1 && read(orders[0], &order, 1) == 1)
			if (open(file, O_RDONLY | O_CLOEXEC) < 0)
				_exit(1);
		_exit(0);
	}
	close(orders[0]);
	close(answers[1]);
	*ret_orders = orders[1];
	*ret_answers = answers[0];
	return pid;
}

static int count_entry(const char *name, void *arg)
{
	(void)name;
	++*(unsigned *)arg;
	return 0;
}

static unsigned count_own_descriptors(void)
{
	unsigned count = 0;

	assert_int_equal(directory_each(AT_FDCWD, "/proc/self/fd", count_entry, &count), 0);
	return count;
}

TEST(directories_stay_open_between_scans)
{
	char file[64], path[32], target[32], expected[32], answer;
	int orders, answers, status;
	unsigned own;
	pid_t pid;

	real_folders = true;
	mkdirat(root.fd, "dev", 0700);
	mkdirat(root.fd, "dev/tenstorrent", 0700);
	close(openat(root.fd, "dev/tenstorrent/5", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	root.confined = false; /* as on a simulated machine, whose processes are real */
	snprintf(file, sizeof(file), "%s/dev/tenstorrent/5", tree);
	pid = start_process(file, &orders, &answers);
	assert_true(pid > 0);
	assert_int_equal(read(answers, &answer, 1), 1);
	snprintf(path, sizeof(path), "proc/%d", pid);
	snprintf(target, sizeof(target), "/proc/%d", pid);
	assert_int_equal(symlinkat(target, root.fd, path), 0);
	own = count_own_descriptors();
	assert_int_equal(fd_scan_begin(scan, 1), 0);
	assert_walk("");
	assert_int_equal(looks, 1);
	assert_int_equal(count_own_descriptors(), own + 1);
	assert_int_equal(write(orders, "", 1), 1);
	assert_int_equal(read(answers, &answer, 1), 1);
	snprintf(expected, sizeof(expected), "%d:5 ", pid);
	assert_walk(expected); /* the same descriptor shows the change */
	seconds = 60;
	assert_walk(expected);
	assert_int_equal(looks, 1);
	assert_int_equal(count_own_descriptors(), own + 1);
	close(orders);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_walk("");
	assert_int_equal(count_own_descriptors(), own - 1);
	close(answers);
}

#define TREE(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE(holders_are_found_by_device_number_and_dropped_after_close),
		TREE(a_closed_device_is_noticed_if_the_number_of_descriptors_changed),
		TREE(a_change_that_keeps_the_number_of_descriptors_is_noticed_later),
		TREE(unchanged_processes_are_rarely_read),
		TREE(a_process_that_ends_during_the_scan_hides_no_other),
		TREE(an_unreadable_process_makes_the_scan_incomplete),
		TREE(other_entries_of_proc_are_ignored),
		TREE(any_number_of_processes_is_scanned),
		TREE(a_mapping_of_a_closed_device_is_found),
		TREE(a_process_that_has_not_run_is_read_again_later),
		TREE(processes_that_only_report_memory_are_listed_on_request),
		TREE(directories_stay_open_between_scans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
