/* Reads small kernel files and directories. For files below --root see basic/root.h. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Grows the descriptor table of the process to this size; fd is any open descriptor. Growing a
 * table that threads share makes the kernel wait for an RCU grace period, which takes milliseconds:
 * call this before starting threads. Errors are ignored.
 */
void file_reserve(int fd, unsigned count);

/*
 * How many descriptors one module may keep open between samples: a quarter of RLIMIT_NOFILE, so
 * that enough are left for other modules, and at most `most`.
 */
size_t file_quota(size_t most);

/*
 * Is the file in a procfs? Then the descriptor refers to one process for good, even if its pid is
 * reused.
 */
bool file_is_in_procfs(int fd);

/*
 * Reads a file with one read() and terminates the text with a NUL. Returns the length; -EFBIG if
 * the file has more than size - 1 bytes; the error of open() or read() (-EISDIR for a directory).
 * A FIFO reads as empty.
 */
MUST_CHECK ssize_t file_read(int dirfd, const char *path, char *text, size_t size);

/* The same for a file that was just opened. */
MUST_CHECK ssize_t file_read_open(int fd, char *text, size_t size);

/* The same for a descriptor that stays open; always reads from the start of the file. */
MUST_CHECK ssize_t file_pread(int fd, char *text, size_t size);

/* Reads a whole file of up to limit bytes; -EFBIG if it is larger. */
MUST_CHECK int file_read_all(int dirfd, const char *path, size_t limit, struct buf *ret);

MUST_CHECK int file_read_all_open(int fd, size_t limit, struct buf *ret);

/*
 * Opens the file of an O_PATH descriptor for reading. The caller has checked its type, since
 * opening a device or a pipe can have side effects; the path is not used again, since it may refer
 * to another file by now.
 */
MUST_CHECK int file_reopen(int path_fd);

/*
 * Opens a regular file on a tmpfs, or a memfd, for reading. Type and file system are checked before
 * the file is opened, since opening a device or a pipe can have side effects. -EPERM if it is
 * something else.
 */
MUST_CHECK int file_open_memory(int dirfd, const char *path);

/* Target of a symbolic link, NUL-terminated; -ENAMETOOLONG if it does not fit. */
MUST_CHECK ssize_t file_readlink(int dirfd, const char *path, char *text, size_t size);

/*
 * Calls visit(name) for each entry except "." and "..", until it returns nonzero; returns that, or
 * -errno. Names come in the order of the directory, unsorted.
 */
MUST_CHECK int directory_each(int dirfd, const char *path,
			      int (*visit)(const char *name, void *arg), void *arg);

/* The same for an open directory, from its current position. */
MUST_CHECK int directory_read(int fd, int (*visit)(const char *name, void *arg), void *arg);
