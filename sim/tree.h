/*
 * Making a tree of files, and taking it away.
 *
 * The first failure sticks, as in struct buf: make everything, ask once at the
 * end. Paths are relative to the directory of the tree.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>
#include <sys/types.h>

struct tree {
	int fd;
	int error;	 /* -errno of the first failure */
	char where[256]; /* and the path it happened to */
};

/* Directories, with those above them. */
void tree_dir(struct tree *t, mode_t mode, const char *format, ...) PRINTF(3, 4);
void tree_link(struct tree *t, const char *target, const char *format, ...) PRINTF(3, 4);
void tree_text(struct tree *t, mode_t mode, const char *text, const char *format, ...) PRINTF(4, 5);

/*
 * A new file and its contents. Returns a descriptor open for reading and
 * writing: its mode may forbid to open it again. -1 on failure.
 */
int tree_file(struct tree *t, mode_t mode, const void *data, size_t length, const char *path);

/*
 * Removes a file, or a directory with all below it. Links are not followed and
 * other filesystems not entered. 0 also if there was nothing.
 */
int tree_remove(int dirfd, const char *name);
void tree_removef(struct tree *t, const char *format, ...) PRINTF(2, 3);
