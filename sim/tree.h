/*
 * Creates and removes a tree of files.
 *
 * The first error is kept, as in struct buf: create everything, check once at the end. Paths are
 * relative to the directory of the tree.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>
#include <sys/types.h>

struct tree {
	int fd;
	int error;	 /* -errno of the first failure */
	char where[256]; /* and its path */
};

/* Creates directories, with their parents. */
void tree_dir(struct tree *t, mode_t mode, const char *format, ...) PRINTF(3, 4);
void tree_link(struct tree *t, const char *target, const char *format, ...) PRINTF(3, 4);
void tree_text(struct tree *t, mode_t mode, const char *text, const char *format, ...) PRINTF(4, 5);

/*
 * Creates a file with contents. Returns a descriptor for reading and writing, since its mode may
 * forbid opening it again. -1 on failure.
 */
int tree_file(struct tree *t, mode_t mode, const void *data, size_t length, const char *path);

/*
 * Removes a file, or a directory with its contents. Does not follow links or enter other file
 * systems. Returns 0 also if it does not exist.
 */
int tree_remove(int dirfd, const char *name);
void tree_removef(struct tree *t, const char *format, ...) PRINTF(2, 3);
