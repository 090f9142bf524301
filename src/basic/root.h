/*
 * A root is the directory that contains /sys, /proc, /dev and /etc: "/" on a live machine, any
 * directory with --root. Paths below it are relative, with no leading slash.
 *
 * A tree is a separate machine: absolute links in it start at its root, and none leads out of it.
 * Only a running simulated machine has links to the host on purpose, since its processes are real.
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
	bool live;	/* the machine that we run on: "/" */
	bool simulated; /* a tree of tt_smi sim */
	bool confined;	/* links cannot lead out of it */
	char *path;	/* canonical, without a slash at the end; "" for "/" */
};

/* NULL or "/": the machine that we run on. */
MUST_CHECK int root_init(struct root *root, const char *directory);
MUST_CHECK int root_copy(const struct root *root, struct root *ret);
void root_done(struct root *root);

/* open(2) of an existing file; flags must include O_CLOEXEC. */
MUST_CHECK int root_open(const struct root *root, const char *path, int flags);

/* The same relative to a directory that was opened below the root. */
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

/* stat(2), and access(2) with the effective ids. -errno. */
MUST_CHECK int root_stat(const struct root *root, const char *path, struct stat *ret);
MUST_CHECK int root_access(const struct root *root, const char *path, int mode);
