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

/* The marker of tt_smi sim, or that of its predecessor. */
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

/* A way below a root: so far, which has no links in it, and what is left. */
struct trail {
	char done[PATH_MAX], rest[PATH_MAX];
	unsigned links;
};

static void trail_back(struct trail *trail)
{
	char *slash = strrchr(trail->done, '/');

	*(slash ? slash : trail->done) = '\0';
}

/* The last step was a link: its text comes before what is left. */
static int trail_follow(struct trail *trail, const char *link)
{
	char rest[PATH_MAX];

	if (++trail->links > 40)
		return -ELOOP;
	trail_back(trail);
	if (link[0] == '/')
		trail->done[0] = '\0';
	if (snprintf(rest, sizeof(rest), "%s/%s", link, trail->rest) >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(trail->rest, rest, sizeof(rest));
	return 0;
}

/* One name further. */
static int trail_step(const struct root *root, struct trail *trail, bool follow_last)
{
	char name[NAME_MAX + 1], link[PATH_MAX];
	size_t length = strcspn(trail->rest, "/"), used = strlen(trail->done);
	const char *after = trail->rest + length + strspn(trail->rest + length, "/");

	if (length >= sizeof(name) || used + length + 2 > sizeof(trail->done))
		return -ENAMETOOLONG;
	memcpy(name, trail->rest, length);
	name[length] = '\0';
	memmove(trail->rest, after, strlen(after) + 1);
	if (length == 0 || strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		trail_back(trail);
		return 0;
	}
	sprintf(trail->done + used, "%s%s", used ? "/" : "", name);
	if ((!trail->rest[0] && !follow_last) ||
	    file_readlink(root->fd, trail->done, link, sizeof(link)) <= 0)
		return 0; /* a missing file fails when it is opened */
	return trail_follow(trail, link);
}

static int open_stepwise(const struct root *root, const char *path, int flags)
{
	struct trail trail = { .links = 0 };
	int fd, r = 0;

	if (snprintf(trail.rest, sizeof(trail.rest), "%s", path) >= (int)sizeof(trail.rest))
		return -ENAMETOOLONG;
	while (r >= 0 && trail.rest[0])
		r = trail_step(root, &trail, !(flags & O_NOFOLLOW));
	if (r < 0)
		return r;
	fd = openat(root->fd, trail.done[0] ? trail.done : ".", flags | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

/* ---- opening ---- */

/*
 * EAGAIN: something was renamed meanwhile, so ".." could not be trusted. The number of
 * tries has an end, since a file with a lease says the same.
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
	/* Before 5.6, or forbidden by a container that does not know the call. */
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

/* Links end at the root, not at this directory: so by its name below the root. */
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
 * What a process has open is no name: the kernel's own links in a procfs that is part of
 * the tree lead to the file itself, links of a recorded one to whatever has that name.
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
