/* Replaces faultfs.c, faultops.c and node.c in builds without libfuse3. */
#include "faultfs.h"

#include <errno.h>
#include <stdlib.h>

int faultfs_mount(struct faultfs **ret, struct machine *m, enum faultfs_kind kind,
		  const char *mountpoint, const struct tree *backing)
{
	(void)ret;
	(void)m;
	(void)kind;
	(void)mountpoint;
	(void)backing;
	return -EOPNOTSUPP;
}

/* Nothing was mounted: the functions below get NULL, or are not called. */

struct faultfs *faultfs_unmount(struct faultfs *fs)
{
	(void)fs;
	return NULL;
}

int faultfs_fd(const struct faultfs *fs)
{
	(void)fs;
	return -1;
}

void faultfs_serve(struct faultfs *fs)
{
	(void)fs;
}

void faultfs_expire(struct faultfs *fs)
{
	(void)fs;
}

int faultfs_timeout(const struct faultfs *fs)
{
	(void)fs;
	return -1;
}

void faultfs_kill(struct faultfs *fs, const struct sim_device *d)
{
	(void)fs;
	(void)d;
}
