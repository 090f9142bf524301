/*
 * A root is the directory that contains /sys, /proc, /dev and /etc: "/" on a live
 * machine, any directory with --root. Paths below it are relative, with no
 * leading slash.
 *
 * A tree is a machine of its own: links in it that begin with a slash begin at its
 * root, and none leads out of it. Only a simulated machine that is running has links
 * to this one on purpose, since its processes are real.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct root {
	int fd;		/* the directory, O_PATH */
	bool live;	/* the machine we run on: "/" */
	bool simulated; /* a tree of tt_smi sim */
	bool confined;	/* links stay below it */
	char *path;	/* as the kernel names it, no slash at the end; "" for "/" */
};

/* NULL or "/" is the machine itself. */
MUST_CHECK int root_init(struct root *root, const char *directory);
MUST_CHECK int root_copy(const struct root *root, struct root *ret);
void root_done(struct root *root);

/* open(2) of an existing file; flags as there, O_CLOEXEC included. */
MUST_CHECK int root_open(const struct root *root, const char *path, int flags);

/* The same below a directory that was opened below the root. */
MUST_CHECK int root_open_at(const struct root *root, int dirfd, const char *path, int flags);

/* As the functions of basic/file.h. */
MUST_CHECK ssize_t root_read(const struct root *root, const char *path, char *text, size_t size);
MUST_CHECK int root_read_all(const struct root *root, const char *path, size_t limit,
			     struct buf *ret);
MUST_CHECK int root_open_memory(const struct root *root, const char *path);
MUST_CHECK ssize_t root_readlink(const struct root *root, const char *path, char *text,
				 size_t size);
MUST_CHECK int root_each(const struct root *root, const char *path,
			 int (*visit)(const char *name, void *arg), void *arg);

/* stat(2), and access(2) by the rights that we act with. -errno. */
MUST_CHECK int root_stat(const struct root *root, const char *path, struct stat *ret);
MUST_CHECK int root_access(const struct root *root, const char *path, int mode);
