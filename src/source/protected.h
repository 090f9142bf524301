/*
 * Could only root have given a file its contents and its name?
 *
 * It is not enough that the file belongs to root and only root may write it: any user can give
 * root's files other names, with a hard link, a mount in a user namespace, a FUSE file system that
 * claims an owner, or a descriptor from such a place. So every directory on the path must be root's
 * as well, and root must have made the mounts.
 *
 * These functions can block on a file system that does not respond: call them in jobs.
 */
#pragma once

#include "basic/root.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Owned by root, and writable only by root? In a user namespace, root is that of the namespace. */
bool protected_by_mode(const struct stat *st);

/*
 * Opens the directory that the kernel's paths of a process's files are relative to, if only root
 * can have mounted anything below it. -EPERM: others may have; -errno: unknown.
 */
MUST_CHECK int protected_open_root(const struct root *root, pid_t pid);

/*
 * Could only root have put this file at a path below that directory? Fills its attributes, so that
 * the caller can compare them with those of the expected file.
 */
bool protected_path(int directory, const char *path, struct stat *ret);

static inline bool protected_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}
