#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

void file_reserve(int fd, unsigned count)
{
	enum { ALWAYS_THERE = 64 }; /* the table that every process has */
	int high = count < ALWAYS_THERE ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, (int)count);

	if (high >= 0)
		close(high);
}

size_t file_quota(size_t most)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? MIN(limit.rlim_cur / 4, most) : 0;
}

bool file_is_in_procfs(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * Terminates a text with a NUL; n is the result of the call that read it. A completely filled
 * buffer is an error, since the text may have been truncated.
 */
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

int file_reopen(int path_fd)
{
	char self[32];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int file_open_memory(int dirfd, const char *path)
{
	CLEANUP_CLOSE int path_fd = openat(dirfd, path, O_PATH | O_CLOEXEC);
	struct statfs fs;
	struct stat st;

	if (path_fd < 0 || fstat(path_fd, &st) < 0 || fstatfs(path_fd, &fs) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || fs.f_type != TMPFS_MAGIC)
		return -EPERM;
	return file_reopen(path_fd);
}

ssize_t file_readlink(int dirfd, const char *path, char *text, size_t size)
{
	return end_text(text, readlinkat(dirfd, path, text, size), size, -ENAMETOOLONG);
}

/*
 * Uses getdents64() with a buffer on the stack: opendir() allocates 32 KiB and calls fstat(), which
 * is a third of the cost for a short directory.
 */
int directory_read(int fd, int (*visit)(const char *name, void *arg), void *arg)
{
	_Alignas(struct dirent64) char entries[8192];
	long n;
	int r;

	do {
		n = syscall(SYS_getdents64, fd, entries, sizeof(entries));
		for (long at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			at += entry->d_reclen;
			if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
				continue;
			r = visit(entry->d_name, arg);
			if (r != 0)
				return r;
		}
	} while (n > 0);
	return n < 0 ? -errno : 0;
}

int directory_each(int dirfd, const char *path, int (*visit)(const char *name, void *arg),
		   void *arg)
{
	CLEANUP_CLOSE int fd = -1;

	fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : directory_read(fd, visit, arg);
}
