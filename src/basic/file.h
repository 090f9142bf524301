/* Small files of the kernel, and directories of them. Below --root: basic/root.h. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Grows the table of descriptors to this size; fd is any open one. To grow a table that threads
 * share, the kernel waits for every processor, which takes milliseconds: so do it before there are
 * threads. A failure has no consequences.
 */
void file_reserve(int fd, unsigned count);

/*
 * The contents of a file, NUL-terminated, in one read. Returns the length.
 * -EFBIG if the file has more than size - 1 bytes; errors of open and read as
 * they are (-EISDIR for a directory). A FIFO in its place reads as empty.
 */
MUST_CHECK ssize_t file_read(int dirfd, const char *path, char *text, size_t size);

/* The same for a file that was just opened. */
MUST_CHECK ssize_t file_read_open(int fd, char *text, size_t size);

/* The same from a descriptor that is kept, always from the start of the file. */
MUST_CHECK ssize_t file_pread(int fd, char *text, size_t size);

/* A whole file whatever its size, up to limit bytes: -EFBIG beyond. */
MUST_CHECK int file_read_all(int dirfd, const char *path, size_t limit, struct buf *ret);

MUST_CHECK int file_read_all_open(int fd, size_t limit, struct buf *ret);

/*
 * Opens for reading the file of an O_PATH descriptor that the caller has checked: opening a device
 * or a pipe can have side effects, and its name may refer to another file by now.
 */
MUST_CHECK int file_open_seen(int seen);

/*
 * Opens a file for reading if it is in memory (tmpfs, a memfd): the text of a link proves nothing,
 * and opening a device or a pipe can have side effects, so it is checked before it is opened.
 * -EPERM: it is something else.
 */
MUST_CHECK int file_open_memory(int dirfd, const char *path);

/* Target of a symbolic link, NUL-terminated; -ENAMETOOLONG if it does not fit. */
MUST_CHECK ssize_t file_readlink(int dirfd, const char *path, char *text, size_t size);

/*
 * Calls visit(name) for each entry but "." and "..", until it returns non-zero;
 * returns that, or -errno. The names come in the order of the directory.
 */
MUST_CHECK int directory_each(int dirfd, const char *path,
			      int (*visit)(const char *name, void *arg), void *arg);

/* The same for a directory that is open, from where it was read to so far. */
MUST_CHECK int directory_read(int fd, int (*visit)(const char *name, void *arg), void *arg);
