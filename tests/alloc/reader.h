/*
 * A reader that follows docs/shared-memory.md, and helpers for tests of a process: each runs in a
 * child, since a process has only one table.
 *
 * The "original server" in comments of these tests is the allocation server whose socket protocol
 * tt_allocd also speaks (docs/protocol.md); such a comment names the fault that a test excludes.
 */
#pragma once

#include "proto/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#define UNDER_TSAN __has_feature(thread_sanitizer)
#else
#define UNDER_TSAN 0
#endif

/* In a child: cmocka's assertions would return to the parent's test list. */
#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1);                                                       \
		}                                                                       \
	} while (0)

#define CHECK_EQUAL(a, b)                                                                        \
	do {                                                                                     \
		long long a_ = (long long)(a), b_ = (long long)(b);                              \
		if (a_ != b_) {                                                                  \
			fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #a, \
				a_, b_);                                                         \
			_exit(1);                                                                \
		}                                                                                \
	} while (0)

/* Runs a test in a child, which must succeed within a time limit. */
static inline void isolated(void (*body)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(300);
		body();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The test NAME, whose body NAME_body runs in its own process. */
#define ISOLATED(name)                 \
	static void name(void **state) \
	{                              \
		(void)state;           \
		isolated(name##_body); \
	}

struct reader {
	struct table_view view;
	void *data;
	size_t length;
};

static inline int reader_map(struct reader *reader, int fd)
{
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || !(seals & F_SEAL_GROW) || fstat(fd, &st) < 0)
		return -EPERM;
	reader->length = (size_t)st.st_size;
	reader->data = mmap(NULL, reader->length, PROT_READ, MAP_SHARED, fd, 0);
	if (reader->data == MAP_FAILED)
		return -errno;
	return table_view_init(&reader->view, reader->data, reader->length);
}

static inline void reader_done(struct reader *reader)
{
	munmap(reader->data, reader->length);
}

/* Is this descriptor of a process, by its name in /proc/PID/fd, a table? Opens it. */
static inline int table_open_at(int directory, const char *name)
{
	char target[64];
	ssize_t length = readlinkat(directory, name, target, sizeof(target));

	if (length != (ssize_t)strlen(TABLE_LINK) ||
	    memcmp(target, TABLE_LINK, (size_t)length) != 0)
		return -ENOENT;
	return openat(directory, name, O_RDONLY | O_CLOEXEC);
}

/* Finds the table of a process; -ENOENT if it has none of its own. */
static inline int reader_open(struct reader *reader, pid_t pid)
{
	struct dirent *entry;
	int found = -ENOENT;
	DIR *directory;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	directory = opendir(path);
	if (!directory)
		return -errno;
	while (found < 0 && (entry = readdir(directory))) {
		int fd = table_open_at(dirfd(directory), entry->d_name);

		if (fd < 0)
			continue;
		if (reader_map(reader, fd) == 0) {
			if (reader->view.pid == (uint64_t)pid)
				found = 0;
			else
				reader_done(reader); /* inherited from a parent */
		}
		close(fd);
	}
	closedir(directory);
	return found;
}

/* Descriptors of this process that are tables, its own or inherited; the number of the last. */
static inline int tables_count(int *ret_last)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(directory))) {
		int fd = table_open_at(dirfd(directory), entry->d_name);

		if (fd < 0)
			continue;
		close(fd);
		count++;
		if (ret_last)
			*ret_last = atoi(entry->d_name);
	}
	closedir(directory);
	return count;
}
