/*
 * Claims on devices, as locks that every process can make and see.
 *
 * The lock is a POSIX read lock, fcntl(F_SETLK), on the file "dev" in the device's sysfs folder:
 *
 * - It needs no file or folder that all users may write, no privileges, and no server.
 * - Read locks are not mutually exclusive, and a write lock needs a descriptor for writing, which
 *   only root gets: no user can prevent another from making a claim. An exclusive lock, as that of
 *   flock(2), could be held by any user for ever.
 * - /proc/locks shows all of them to all users, with the pid, which a process cannot forge.
 * - The kernel removes it when its process ends. It survives execve(2) if its descriptor does.
 *
 * The kernel also drops a process's locks on a file when the process closes any descriptor of that
 * file, so nothing else in this program opens "dev".
 *
 * A run sees the claims of another if both share the sysfs, which each network namespace has one
 * of. Those of processes that are not visible in our pid namespace have no pid and no user. Between
 * containers with network namespaces of their own, only the processes that have a device open are
 * seen.
 */
#pragma once

#include "basic/macros.h"
#include "basic/root.h"
#include "model/claim.h"

#include <stddef.h>
#include <stdint.h>

struct claim_file {
	uint32_t device;
	int fd;
	char inode[48]; /* as /proc/locks writes it: "00:16:5259" */
};

struct claim_files {
	const struct root *root;
	int32_t self; /* our pid in the namespace of /proc */
	struct claim_file *list;
	size_t count;
};

/* -ENOTSUP: /proc does not belong to this pid namespace. */
MUST_CHECK int claim_files_init(struct claim_files *files, const struct root *root);
void claim_files_done(struct claim_files *files);

/*
 * Opens the files of these devices, also those that were replaced since the last call, and closes
 * those of others, which ends our claims on them. A device whose file cannot be opened is skipped.
 * Returns 1 if it opened any, else 0; -ENOTSUP if /proc/locks does not show locks on such a file.
 */
MUST_CHECK int claim_files_open(struct claim_files *files, const uint32_t *devices, size_t count);

/* NULL: not open. */
const struct claim_file *claim_files_find(const struct claim_files *files, uint32_t device);

/* Makes a claim, or brings one with this time to a later stage. -errno. */
MUST_CHECK int claim_file_put(const struct claim_file *file, enum claim_stage stage,
			      int64_t time_us);
void claim_file_withdraw(const struct claim_file *file, int64_t time_us);

/* All claims on the open files, those of this process too. */
MUST_CHECK int claim_files_read(const struct claim_files *files, struct claims *ret);
