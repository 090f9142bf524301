#include "source/protected.h"

#include "basic/file.h"
#include "basic/proc_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

bool protected_by_mode(const struct stat *st)
{
	return st->st_uid == 0 && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Reads a path's attributes without triggering an automounter. */
static bool stat_path(int directory, const char *path, struct stat *ret)
{
	return fstatat(directory, path, ret, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 &&
	       protected_by_mode(ret);
}

/*
 * Does the mount namespace belong to our own user namespace? One that a user created belongs to a
 * user namespace of that user, in which any file can be mounted over any other.
 */
static bool is_made_by_root(int mounts)
{
	CLEANUP_CLOSE int owner = ioctl(mounts, NS_GET_USERNS);
	struct stat theirs, ours;

	return owner >= 0 && fstat(owner, &theirs) == 0 && stat("/proc/self/ns/user", &ours) == 0 &&
	       protected_same(&theirs, &ours);
}

int protected_open_root(const struct root *root, pid_t pid)
{
	enum { DIRECTORY = O_PATH | O_DIRECTORY | O_CLOEXEC };
	CLEANUP_CLOSE int mounts = -1;
	struct stat theirs, ours;
	char path[PROC_PATH_SIZE];

	proc_path(path, pid, "ns/mnt");
	mounts = root_open(root, path, O_RDONLY | O_CLOEXEC);
	if (mounts < 0)
		return mounts;
	if (fstat(mounts, &theirs) < 0 || stat("/proc/self/ns/mnt", &ours) < 0)
		return -errno;
	/* In our own mount namespace, paths start at our root directory, also after a chroot. */
	if (protected_same(&theirs, &ours))
		return root_open(root, ".", DIRECTORY);
	if (!is_made_by_root(mounts))
		return -EPERM;
	proc_path(path, pid, "root");
	return root_open(root, path, DIRECTORY);
}

/* From the top: nothing below a directory that is not root's is accessed. */
bool protected_path(int directory, const char *path, struct stat *ret)
{
	char part[PATH_MAX];

	if (path[0] != '/' || snprintf(part, sizeof(part), "%s", path + 1) >= (int)sizeof(part) ||
	    fstat(directory, ret) < 0 || !protected_by_mode(ret))
		return false;
	for (char *slash = strchr(part, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (!stat_path(directory, part, ret) || !S_ISDIR(ret->st_mode))
			return false;
		*slash = '/';
	}
	return stat_path(directory, part, ret) && S_ISREG(ret->st_mode);
}
