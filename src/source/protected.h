/*
 * Is a file root's choice, in contents and in name?
 *
 * That it belongs to root and that nobody else may write it is not enough: any user can
 * give root's files other names, with a hard link, a mount in a user namespace, a FUSE
 * file system that claims an owner, or a descriptor that comes from such a place. So every
 * directory on the way to it must be root's as well, and the mounts made by root.
 *
 * All of this can block on a file system that does not answer: for jobs.
 */
#pragma once

#include "basic/root.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Owned by root, and writable by nobody else? In a user namespace that is the root of ours. */
bool protected_by_mode(const struct stat *st);

/*
 * Opens the root directory from which the kernel's paths of a process's files begin, if only
 * root can have mounted what lies below. -EPERM: others may have; -errno: not known.
 */
MUST_CHECK int protected_open_root(const struct root *root, pid_t pid);

/*
 * Is what a path below that directory leads to, and that it does, root's choice alone? Fills
 * what is there, a regular file: the caller compares it with the file that it means.
 */
bool protected_path(int directory, const char *path, struct stat *ret);

static inline bool protected_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}
