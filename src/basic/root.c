#include "basic/root.h"

#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

enum { LOOK = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY };

static bool has(int fd, const char *marker)
{
	return faccessat(fd, marker, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The marker file of tt_smi sim, or its former name. */
static bool is_simulated(int fd)
{
	return has(fd, "simulated") || has(fd, "ttsim");
}

int root_init(struct root *root, const char *directory)
{
	CLEANUP_FREE char *path = NULL;
	int fd;

	path = realpath(directory ? directory : "/", NULL);
	if (!path)
		return -errno;
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	root->live = strcmp(path, "/") == 0;
	root->simulated = !root->live && is_simulated(fd);
	root->confined = !root->live && (!root->simulated || has(fd, "captured_at"));
	if (root->live)
		path[0] = '\0';
	root->fd = fd;
	root->path = TAKE_PTR(path);
	return 0;
}

int root_copy(const struct root *root, struct root *ret)
{
	CLEANUP_CLOSE int fd = fcntl(root->fd, F_DUPFD_CLOEXEC, 0);
	char *path = strdup(root->path);

	if (fd < 0 || !path) {
		free(path);
		return fd < 0 ? -errno : -ENOMEM;
	}
	*ret = *root;
	ret->fd = TAKE_FD(fd);
	ret->path = path;
	return 0;
}

void root_done(struct root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	free(root->path);
	*root = (struct root){ .fd = -1 };
}

/* ---- links, one by one, where the kernel cannot ---- */

/* A partly resolved path below a root: the resolved part has no links. */
struct path_walk {
	char done[PATH_MAX], rest[PATH_MAX];
	unsigned links;
};

static void walk_back(struct path_walk *walk)
{
	char *slash = strrchr(walk->done, '/');

	*(slash ? slash : walk->done) = '\0';
}

/* The last component was a link: its target is put before the rest. */
static int walk_follow(struct path_walk *walk, const char *link)
{
	char rest[PATH_MAX];

	if (++walk->links > 40)
		return -ELOOP;
	walk_back(walk);
	if (link[0] == '/')
		walk->done[0] = '\0';
	if (snprintf(rest, sizeof(rest), "%s/%s", link, walk->rest) >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(walk->rest, rest, sizeof(rest));
	return 0;
}

/* Resolves one more component. */
static int walk_step(const struct root *root, struct path_walk *walk, bool follow_last)
{
	char name[NAME_MAX + 1], link[PATH_MAX];
	size_t length = strcspn(walk->rest, "/"), used = strlen(walk->done);
	const char *after = walk->rest + length + strspn(walk->rest + length, "/");

	if (length >= sizeof(name) || used + length + 2 > sizeof(walk->done))
		return -ENAMETOOLONG;
	memcpy(name, walk->rest, length);
	name[length] = '\0';
	memmove(walk->rest, after, strlen(after) + 1);
	if (length == 0 || strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		walk_back(walk);
		return 0;
	}
	sprintf(walk->done + used, "%s%s", used ? "/" : "", name);
	if ((!walk->rest[0] && !follow_last) ||
	    file_readlink(root->fd, walk->done, link, sizeof(link)) <= 0)
		return 0; /* a missing file fails when it is opened */
	return walk_follow(walk, link);
}

static int open_stepwise(const struct root *root, const char *path, int flags)
{
	struct path_walk walk = { .links = 0 };
	int fd, r = 0;

	if (snprintf(walk.rest, sizeof(walk.rest), "%s", path) >= (int)sizeof(walk.rest))
		return -ENAMETOOLONG;
	while (r >= 0 && walk.rest[0])
		r = walk_step(root, &walk, !(flags & O_NOFOLLOW));
	if (r < 0)
		return r;
	fd = openat(root->fd, walk.done[0] ? walk.done : ".", flags | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

/* ---- opening ---- */

/*
 * EAGAIN: a concurrent rename, so ".." could not be resolved safely. The number of retries is
 * limited, since a file with a lease returns the same error.
 */
static int open_confined(const struct root *root, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned)flags, .resolve = RESOLVE_IN_ROOT };
	long fd;

	for (int tries = 0; tries < 64; tries++) {
		fd = syscall(SYS_openat2, root->fd, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	/* Linux before 5.6, or a container whose seccomp filter does not know the call. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return open_stepwise(root, path, flags);
	return fd < 0 ? -errno : (int)fd;
}

int root_open(const struct root *root, const char *path, int flags)
{
	int fd;

	if (root->confined)
		return open_confined(root, path, flags);
	fd = openat(root->fd, path, flags);
	return fd < 0 ? -errno : fd;
}

/*
 * Links are resolved relative to the root, not to this directory, so the path from the root is
 * used.
 */
int root_open_at(const struct root *root, int dirfd, const char *path, int flags)
{
	char self[32], name[PATH_MAX + NAME_MAX];
	size_t length = strlen(root->path);
	ssize_t n;
	int fd;

	if (!root->confined) {
		fd = openat(dirfd, path, flags);
		return fd < 0 ? -errno : fd;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", dirfd);
	n = file_readlink(AT_FDCWD, self, name, PATH_MAX);
	if (n < 0)
		return (int)n;
	if (strncmp(name, root->path, length) != 0 || name[length] != '/')
		return -EXDEV;
	snprintf(name + n, sizeof(name) - (size_t)n, "/%s", path);
	return open_confined(root, name + length + 1, flags);
}

ssize_t root_read(const struct root *root, const char *path, char *text, size_t size)
{
	CLEANUP_CLOSE int fd = root_open(root, path, LOOK);

	return fd < 0 ? fd : file_read_open(fd, text, size);
}

int root_read_all(const struct root *root, const char *path, size_t limit, struct buf *ret)
{
	CLEANUP_CLOSE int fd = root_open(root, path, LOOK);

	buf_reset(ret);
	return fd < 0 ? fd : file_read_all_open(fd, limit, ret);
}

int root_each(const struct root *root, const char *path, int (*visit)(const char *name, void *arg),
	      void *arg)
{
	CLEANUP_CLOSE int fd = root_open(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? fd : directory_read(fd, visit, arg);
}

ssize_t root_readlink(const struct root *root, const char *path, char *text, size_t size)
{
	CLEANUP_CLOSE int fd = -1;

	if (!root->confined)
		return file_readlink(root->fd, path, text, size);
	fd = root_open(root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? fd : file_readlink(fd, "", text, size);
}

/*
 * The kernel's own links in a procfs that is part of the tree lead to the file itself; links of a
 * recorded one lead to whatever has that name.
 */
int root_open_memory(const struct root *root, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	CLEANUP_CLOSE int directory = -1;
	char above[64];
	struct statfs fs;

	if (!root->confined)
		return file_open_memory(root->fd, path);
	snprintf(above, sizeof(above), "%.*s", (int)(name - path), path);
	directory = root_open(root, above, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0 || fstatfs(directory, &fs) < 0)
		return directory < 0 ? directory : -errno;
	return fs.f_type == PROC_SUPER_MAGIC ? file_open_memory(directory, name) : -EPERM;
}

int root_stat(const struct root *root, const char *path, struct stat *ret)
{
	CLEANUP_CLOSE int fd = -1;

	if (!root->confined)
		return fstatat(root->fd, path, ret, 0) < 0 ? -errno : 0;
	fd = root_open(root, path, O_PATH | O_CLOEXEC);
	return fd < 0 ? fd : fstat(fd, ret) < 0 ? -errno : 0;
}

int root_access(const struct root *root, const char *path, int mode)
{
	CLEANUP_CLOSE int fd = -1;
	char self[32];

	if (!root->confined)
		return faccessat(root->fd, path, mode, AT_EACCESS) < 0 ? -errno : 0;
	fd = root_open(root, path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return fd;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	return faccessat(AT_FDCWD, self, mode, AT_EACCESS) < 0 ? -errno : 0;
}
