/*
 * A file system with files that fail.
 *
 * A plain file cannot return ENODATA, deny access to root, or block a reader. If a fault needs
 * that, this file system is mounted over the tree; it passes its files through, except where a
 * fault is active. It has no thread: the caller's loop watches its descriptor. A read that has to
 * wait is answered later.
 */
#pragma once

#include "basic/macros.h"
#include "faultfs_kind.h"
#include "machine.h"

struct faultfs;

/*
 * Mounts it at `mountpoint`; `backing` has the files. -EOPNOTSUPP: built without libfuse3; another
 * -errno if FUSE is not available.
 */
MUST_CHECK int faultfs_mount(struct faultfs **ret, struct machine *m, enum faultfs_kind kind,
			     const char *mountpoint, const struct tree *backing);

/* Answers waiting reads, unmounts. Takes NULL, returns NULL. */
struct faultfs *faultfs_unmount(struct faultfs *fs);

int faultfs_fd(const struct faultfs *fs);

/* Handles requests: call it when the descriptor is readable. */
void faultfs_serve(struct faultfs *fs);

/* Answers reads whose delay is over; call it periodically. */
void faultfs_expire(struct faultfs *fs);

/* Milliseconds until faultfs_expire() is needed; -1: no read has a time limit. */
int faultfs_timeout(const struct faultfs *fs);

/* The device was removed: open files of it fail from now on. */
void faultfs_kill(struct faultfs *fs, const struct sim_device *d);
