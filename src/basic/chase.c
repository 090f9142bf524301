#include "basic/chase.h"

#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_LINKS = 40, STEP = O_PATH | O_DIRECTORY | O_CLOEXEC };

struct chase {
	int directory;	     /* the resolved part of the path */
	char rest[PATH_MAX]; /* relative to it */
	unsigned links;
};

/* Continues with a path in front of the rest. */
static int continue_with(struct chase *chase, const char *path)
{
	char rest[PATH_MAX];
	int n = snprintf(rest, sizeof(rest), "%s%s%s", path, chase->rest[0] ? "/" : "",
			 chase->rest);

	if (n >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(chase->rest, rest, (size_t)n + 1);
	if (path[0] != '/')
		return 0;
	cleanup_close(&chase->directory);
	chase->directory = open("/", STEP);
	return chase->directory < 0 ? -errno : 0;
}

/* Removes the first component from the rest. What ends with a slash is a directory: "x/" is "x/.".
 */
static int take_name(struct chase *chase, char name[NAME_MAX + 1])
{
	const char *from = chase->rest + strspn(chase->rest, "/");
	size_t length = strcspn(from, "/");
	const char *after = from + length + strspn(from + length, "/");

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, length ? from : ".", MAX(length, 1));
	name[MAX(length, 1)] = '\0';
	if (from[length] == '/' && !*after)
		after = ".";
	memmove(chase->rest, after, strlen(after) + 1);
	return 0;
}

static void put_path(struct buf *ret, int directory, const char *name)
{
	char self[32], above[PATH_MAX];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", directory);
	if (file_readlink(AT_FDCWD, self, above, sizeof(above)) > 0)
		buf_printf(ret, "%s/", strcmp(above, "/") == 0 ? "" : above);
	buf_puts(ret, name);
}

static bool is_trusted(const struct stat *link, const struct stat *directory, bool is_last)
{
	if (!(directory->st_mode & S_ISVTX))
		return true;
	return !is_last && (link->st_uid == geteuid() || link->st_uid == directory->st_uid);
}

/* Is the name a link? Then 1, and the rest of the path begins with its target. -errno */
static int follow_link(struct chase *chase, const char *name, struct buf *ret_link)
{
	CLEANUP_CLOSE int fd = openat(chase->directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat link, directory;
	char target[PATH_MAX];
	ssize_t n;
	int r;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &link) < 0 || fstat(chase->directory, &directory) < 0)
		return -errno;
	if (!S_ISLNK(link.st_mode))
		return 0;
	if (!is_trusted(&link, &directory, !chase->rest[0])) {
		put_path(ret_link, chase->directory, name);
		return -ELOOP;
	}
	if (++chase->links > MOST_LINKS)
		return -ELOOP;
	n = file_readlink(fd, "", target, sizeof(target));
	if (n < 0)
		return (int)n;
	r = continue_with(chase, target);
	return r < 0 ? r : 1;
}

/*
 * Links of procfs are made by the kernel, which alone can follow them: /proc/self/fd/1 leads to a
 * pipe without a name.
 */
static int chase_step(struct chase *chase, int flags, mode_t mode, struct buf *ret_link)
{
	int nofollow = file_is_in_procfs(chase->directory) ? 0 : O_NOFOLLOW;
	char name[NAME_MAX + 1];
	int fd, r;

	r = take_name(chase, name);
	if (r == 0 && nofollow)
		r = follow_link(chase, name, ret_link);
	if (r != 0)
		return MIN(r, 0);
	fd = openat(chase->directory, name, (chase->rest[0] ? STEP : flags) | nofollow, mode);
	if (fd < 0)
		return -errno;
	close(chase->directory);
	chase->directory = fd;
	return !chase->rest[0];
}

int chase_open(const char *path, int flags, mode_t mode, struct buf *ret_link)
{
	struct chase chase = { .directory = open(".", STEP) };
	int r = chase.directory < 0 ? -errno : continue_with(&chase, path);

	buf_reset(ret_link);
	if (!*path)
		r = -ENOENT;
	while (r == 0)
		r = chase_step(&chase, flags | O_CLOEXEC, mode, ret_link);
	if (r < 0)
		cleanup_close(&chase.directory);
	return r < 0 ? r : chase.directory;
}

const char *chase_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A link to the directory is not the end of the path that the user gave, hence the dot. */
int chase_directory(const char *path, struct buf *ret_link)
{
	char directory[PATH_MAX];
	int length = (int)(chase_name(path) - path);

	buf_reset(ret_link);
	if (snprintf(directory, sizeof(directory), "%.*s.", length, path) >= (int)sizeof(directory))
		return -ENAMETOOLONG;
	return chase_open(directory, STEP, 0, ret_link);
}
