/*
 * Files named tt_device_<id>_memory and tt_device_<id>_util in a /dev/shm: TT-Metal's memory
 * counters, and utilisation figures.
 *
 * Every user may create files there, so they are not trusted: links are not followed, only regular
 * files are opened, and a file is read, never mapped (truncation would cause SIGBUS) and never
 * written. Whether its content counts depends on its owner, which is therefore read together with
 * the contents.
 */
#pragma once

#include "basic/macros.h"
#include "basic/root.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum shm_kind { SHM_MEMORY, SHM_UTIL, SHM_KINDS };

struct shm_file {
	uint64_t id;
	enum shm_kind kind;
	int fd; /* kept open between samples, -1 */
};

/* The /dev/shm below one root. */
struct shm_folder {
	const struct root *root;
	struct shm_file *files; /* by id */
	size_t count;
	bool cut;	   /* the list is incomplete */
	struct shm_stamp { /* of the directory when it was listed */
		dev_t device;
		ino_t inode;
		struct timespec changed;
	} stamp;
	bool settled; /* any later change of the directory will change the stamp */
};

/* "/dev/shm/tt_device_42_memory" */
#define SHM_PATH_SIZE 64
void shm_path(char path[static SHM_PATH_SIZE], uint64_t id, enum shm_kind kind);

/* The root must outlive the folder. */
void shm_folder_init(struct shm_folder *folder, const struct root *root);
void shm_folder_done(struct shm_folder *folder);

/* Lists the files again if the directory changed. -errno if it cannot be listed: then none. */
MUST_CHECK int shm_folder_refresh(struct shm_folder *folder);

bool shm_folder_has(const struct shm_folder *folder, enum shm_kind kind);

/* Reads the owner of a file without opening it. -errno: it was removed. */
MUST_CHECK int shm_folder_owner(const struct shm_folder *folder, size_t at, uid_t *ret);

/*
 * Reads a regular file. Returns its length, at most size; a longer file is truncated, so pass one
 * byte more than expected. -EINVAL: not a regular file.
 */
MUST_CHECK ssize_t shm_folder_read(struct shm_folder *folder, size_t at, void *data, size_t size,
				   uid_t *ret_owner);
