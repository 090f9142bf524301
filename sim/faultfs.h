/*
 * Files that fail.
 *
 * A plain file cannot answer ENODATA, refuse root, or keep a reader waiting. So
 * when a fault needs that, this filesystem stands in front of the tree and hands
 * out its files, except where something is to go wrong. It has no thread: the
 * caller's loop watches its descriptor. Reads that are to wait are simply not
 * answered yet.
 */
#pragma once

#include "basic/macros.h"
#include "faultfs_kind.h"
#include "machine.h"

struct faultfs;

/*
 * Mounts it over `mountpoint`, in front of `backing`. -EOPNOTSUPP: built without libfuse3; another
 * -errno if FUSE is not available here.
 */
MUST_CHECK int faultfs_mount(struct faultfs **ret, struct machine *m, enum faultfs_kind kind,
			     const char *mountpoint, const struct tree *backing);

/* Answers the waiting, unmounts. Takes NULL, returns NULL. */
struct faultfs *faultfs_unmount(struct faultfs *fs);

int faultfs_fd(const struct faultfs *fs);

/* Serves what has been asked: call it when the descriptor is readable. */
void faultfs_serve(struct faultfs *fs);

/* Answers reads that have waited long enough; call it now and then. */
void faultfs_expire(struct faultfs *fs);

/* Milliseconds until faultfs_expire() has something to do; -1: nothing waits for a time. */
int faultfs_timeout(const struct faultfs *fs);

/* The device was removed: whatever is held of it is dead. */
void faultfs_kill(struct faultfs *fs, const struct sim_device *d);
