#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

void file_reserve(int fd, unsigned count)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, (int)count);

	if (high >= 0)
		close(high);
}

/* Ends a text of n bytes, as a call gave it. All the room filled: perhaps not all of it. */
static ssize_t end_text(char *text, ssize_t n, size_t size, int too_long)
{
	if (n < 0)
		return -errno;
	if ((size_t)n == size)
		return too_long;
	text[n] = '\0';
	return n;
}

ssize_t file_pread(int fd, char *text, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, text, size, 0);
	while (n < 0 && errno == EINTR);
	return end_text(text, n, size, -EFBIG);
}

ssize_t file_read_open(int fd, char *text, size_t size)
{
	ssize_t n;

	do
		n = read(fd, text, size);
	while (n < 0 && errno == EINTR);
	return end_text(text, n, size, -EFBIG);
}

ssize_t file_read(int dirfd, const char *path, char *text, size_t size)
{
	CLEANUP_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : file_read_open(fd, text, size);
}

int file_read_all_open(int fd, size_t limit, struct buf *ret)
{
	char chunk[4096];
	ssize_t n;

	buf_reset(ret);
	for (;;) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return ret->failed ? -ENOMEM : 0;
		if ((size_t)n > limit - ret->length)
			return -EFBIG;
		buf_add(ret, chunk, (size_t)n);
		if (ret->failed)
			return -ENOMEM;
	}
}

int file_read_all(int dirfd, const char *path, size_t limit, struct buf *ret)
{
	CLEANUP_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	buf_reset(ret);
	return fd < 0 ? -errno : file_read_all_open(fd, limit, ret);
}

int file_open_seen(int seen)
{
	char self[32];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", seen);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int file_open_memory(int dirfd, const char *path)
{
	CLEANUP_CLOSE int seen = openat(dirfd, path, O_PATH | O_CLOEXEC);
	struct statfs fs;
	struct stat st;

	if (seen < 0 || fstat(seen, &st) < 0 || fstatfs(seen, &fs) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || fs.f_type != TMPFS_MAGIC)
		return -EPERM;
	return file_open_seen(seen);
}

ssize_t file_readlink(int dirfd, const char *path, char *text, size_t size)
{
	return end_text(text, readlinkat(dirfd, path, text, size), size, -ENAMETOOLONG);
}

/*
 * getdents64() into a buffer on the stack: opendir() allocates 32 KiB and makes
 * an fstat() per directory, which is a third of the cost of a short one.
 */
int directory_read(int fd, int (*visit)(const char *name, void *arg), void *arg)
{
	_Alignas(struct dirent64) char entries[8192];
	long n;
	int r;

	while ((n = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			at += entry->d_reclen;
			if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
				continue;
			r = visit(entry->d_name, arg);
			if (r != 0)
				return r;
		}
	}
	return n < 0 ? -errno : 0;
}

int directory_each(int dirfd, const char *path, int (*visit)(const char *name, void *arg),
		   void *arg)
{
	CLEANUP_CLOSE int fd = -1;

	fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : directory_read(fd, visit, arg);
}
