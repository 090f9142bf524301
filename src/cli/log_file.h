/*
 * A file that repeated output is appended to, and that log rotation may move away or truncate at
 * any time.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <sys/types.h>

struct log_file {
	const char *path;
	int fd;
	dev_t device;
	ino_t inode;
	bool is_special; /* a device or a pipe: not rotated */
};

/*
 * Opens it for appending, and creates it if it does not exist. ret_link as of chase_open(). From
 * now on SIGHUP asks to open the file again, instead of ending the process. -errno
 */
MUST_CHECK int log_file_open(struct log_file *log, const char *path, struct buf *ret_link);

/*
 * Opens the file again if SIGHUP asked for it or if the path no longer leads to it. Returns 1 if
 * the file is another one or was truncated to nothing, else 0. On failure the old file stays open.
 * -errno
 */
MUST_CHECK int log_file_follow(struct log_file *log, struct buf *ret_link);

bool log_file_is_empty(const struct log_file *log);
