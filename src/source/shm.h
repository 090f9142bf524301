/*
 * Files that anybody may put into /dev/shm: opened without following links or
 * waiting, read, never mapped (a shrinking file would fault) and never written.
 */
#pragma once

#include "basic/root.h"
#include "basic/crew.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/*
 * Calls each(id) for every name "tt_device_<decimal id><suffix>", whatever the suffix
 * if it is NULL; -errno if there is no directory.
 */
MUST_CHECK int shm_each(const struct root *root, const char *suffix,
			int (*each)(uint64_t id, const char *name, void *arg), void *arg);

/* One of them, its descriptor kept between samples. */
struct shm_file {
	uint64_t id;
	int fd; /* -1: not open */
	char name[48];
};

/* All of one suffix. */
struct shm_files {
	const char *suffix;
	struct shm_file *files;
	size_t count;
	struct shm_folder { /* as it was when they were looked for */
		dev_t device;
		ino_t inode;
		struct timespec changed;
	} folder;
	bool settled; /* a file that comes or goes will show in the folder's time */
};

/* They are the whole state of a source. */
MUST_CHECK int shm_files_open(const char *suffix, void **ret_state);
void shm_files_close(void *state, struct crew *crew);

/*
 * Looks for files that came or went, if the directory changed since. -errno if there is
 * none; then there are no files.
 */
MUST_CHECK int shm_files_find(struct shm_files *files, const struct root *root);

/*
 * Reads a regular file. Returns its length, at most size; a longer file is cut
 * to size, so ask for one byte more than it may have. -EINVAL: no regular file.
 */
MUST_CHECK ssize_t shm_files_read(struct shm_files *files, const struct root *root, size_t at,
				  void *data, size_t size);
