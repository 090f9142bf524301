#include "tree.h"

#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 512

static void tree_fail(struct tree *t, int error, const char *path)
{
	if (t->error)
		return;
	t->error = error;
	snprintf(t->where, sizeof(t->where), "%.250s", path);
}

/* Creates all parent directories of a path. */
static void tree_parents(struct tree *t, const char *path)
{
	char part[PATH_SIZE];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (mkdirat(t->fd, part, 0755) < 0 && errno != EEXIST)
			tree_fail(t, -errno, part);
	}
}

#define FORMAT_PATH(path, format)                          \
	do {                                               \
		va_list ap;                                \
		va_start(ap, format);                      \
		vsnprintf(path, sizeof(path), format, ap); \
		va_end(ap);                                \
	} while (0)

static int make_dir(struct tree *t, const char *path, mode_t mode, const char *target)
{
	(void)target;
	return mkdirat(t->fd, path, mode) < 0 && errno != EEXIST ? -1 : 0;
}

static int make_link(struct tree *t, const char *path, mode_t mode, const char *target)
{
	(void)mode;
	return symlinkat(target, t->fd, path);
}

static int make_file(struct tree *t, const char *path, mode_t mode, const char *target)
{
	(void)target;
	return openat(t->fd, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
}

/* Parent directories mostly exist: they are created only if this fails. */
static int make(struct tree *t, const char *path, mode_t mode, const char *target,
		int (*how)(struct tree *, const char *, mode_t, const char *))
{
	int r = how(t, path, mode, target);

	if (r < 0 && errno == ENOENT) {
		tree_parents(t, path);
		r = how(t, path, mode, target);
	}
	if (r < 0)
		tree_fail(t, -errno, path);
	return r;
}

void tree_dir(struct tree *t, mode_t mode, const char *format, ...)
{
	char path[PATH_SIZE];

	FORMAT_PATH(path, format);
	make(t, path, mode, NULL, make_dir);
}

void tree_link(struct tree *t, const char *target, const char *format, ...)
{
	char path[PATH_SIZE];

	FORMAT_PATH(path, format);
	make(t, path, 0, target, make_link);
}

int tree_file(struct tree *t, mode_t mode, const void *data, size_t length, const char *path)
{
	int fd = make(t, path, mode, NULL, make_file);
	ssize_t written = 0;

	if (fd < 0)
		return -1;
	if (length)
		written = pwrite(fd, data, length, 0);
	if (written != (ssize_t)length) {
		tree_fail(t, written < 0 ? -errno : -ENOSPC, path);
		close(fd);
		return -1;
	}
	return fd;
}

void tree_text(struct tree *t, mode_t mode, const char *text, const char *format, ...)
{
	char path[PATH_SIZE];
	int fd;

	FORMAT_PATH(path, format);
	fd = tree_file(t, mode, text, strlen(text), path);
	if (fd >= 0)
		close(fd);
}

struct removal {
	int fd;
	dev_t dev;
	int error;
};

static int remove_in(int dirfd, const char *name, dev_t dev);

static int remove_visit(const char *name, void *arg)
{
	struct removal *r = arg;
	int error = remove_in(r->fd, name, r->dev);

	if (error < 0)
		r->error = error;
	return 0;
}

static int remove_directory(int dirfd, const char *name, dev_t dev)
{
	CLEANUP_CLOSE int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct removal r = { .fd = fd, .dev = dev };
	int error;

	if (fd < 0)
		return -errno;
	/* the driver's directories are not writable for their owner */
	(void)!fchmod(fd, 0700);
	error = directory_each(fd, ".", remove_visit, &r);
	if (error < 0)
		return error;
	if (unlinkat(dirfd, name, AT_REMOVEDIR) < 0)
		return r.error ? r.error : -errno;
	return 0;
}

static int remove_in(int dirfd, const char *name, dev_t dev)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return unlinkat(dirfd, name, 0) < 0 && errno != ENOENT ? -errno : 0;
	if (st.st_dev != dev)
		return -EXDEV; /* still mounted: the files are not ours */
	return remove_directory(dirfd, name, dev);
}

int tree_remove(int dirfd, const char *name)
{
	struct stat st;

	if (fstat(dirfd, &st) < 0)
		return -errno;
	return remove_in(dirfd, name, st.st_dev);
}

void tree_removef(struct tree *t, const char *format, ...)
{
	char path[PATH_SIZE];
	int r;

	FORMAT_PATH(path, format);
	r = tree_remove(t->fd, path);
	if (r < 0)
		tree_fail(t, r, path);
}
