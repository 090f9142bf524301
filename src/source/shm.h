/*
 * Files that anybody may put into /dev/shm: opened without following links or
 * waiting, read, never mapped (a shrinking file would fault) and never written.
 */
#pragma once

#include "basic/file.h"
#include "basic/macros.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * Calls each(id) for every name "tt_device_<decimal id><suffix>", whatever the suffix
 * if it is NULL; -errno if there is no directory.
 */
MUST_CHECK int shm_each(const struct root *root, const char *suffix,
			int (*each)(uint64_t id, const char *name, void *arg), void *arg);

/*
 * Reads a regular file. Returns its length, at most size; a longer file is cut
 * to size, so ask for one byte more than it may have. -EINVAL: no regular file.
 */
MUST_CHECK ssize_t shm_read(const struct root *root, const char *name, void *data, size_t size);
