#include "faultfs.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "faultops.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int start_session(struct faultfs *fs, const char *mountpoint)
{
	/* Other users have access only if root mounts it, or if user_allow_other is set. */
	char options[] = "default_permissions,fsname=tt_smi-sim,subtype=tt_smi-sim,allow_other";
	char name[] = "tt_smi-sim", option[] = "-o";
	char *argv[] = { name, option, options, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, argv);

	if (geteuid() != 0)
		*strrchr(options, ',') = '\0';
	fs->session = fuse_session_new(&args, &fault_operations, sizeof(fault_operations), fs);
	fuse_opt_free_args(&args);
	if (!fs->session)
		return -ENOMEM;
	if (fuse_session_mount(fs->session, mountpoint) < 0)
		return -ENODEV;
	fs->mounted = true;
	fcntl(fuse_session_fd(fs->session), F_SETFD, FD_CLOEXEC);
	fcntl(fuse_session_fd(fs->session), F_SETFL, O_NONBLOCK);
	return 0;
}

int faultfs_mount(struct faultfs **ret, struct machine *m, enum faultfs_kind kind,
		  const char *mountpoint, const struct tree *backing)
{
	struct faultfs *fs = calloc(1, sizeof(*fs));
	int r;

	if (!fs)
		return -ENOMEM;
	fs->machine = m;
	fs->kind = kind;
	fs->backing = backing->fd;
	r = nodes_init(&fs->nodes, m);
	if (r == 0)
		r = start_session(fs, mountpoint);
	if (r < 0) {
		faultfs_unmount(fs);
		return r;
	}
	*ret = fs;
	return 0;
}

struct faultfs *faultfs_unmount(struct faultfs *fs)
{
	if (!fs)
		return NULL;
	while (fs->waiting) {
		struct waiting *w = fs->waiting;

		fs->waiting = w->next;
		fuse_reply_err(w->request, EIO);
		free(w);
	}
	if (fs->mounted)
		fuse_session_unmount(fs->session);
	if (fs->session)
		fuse_session_destroy(fs->session);
	free(fs->buffer.mem);
	nodes_done(&fs->nodes);
	free(fs);
	return NULL;
}

int faultfs_fd(const struct faultfs *fs)
{
	return fuse_session_fd(fs->session);
}

void faultfs_serve(struct faultfs *fs)
{
	int r;

	while ((r = fuse_session_receive_buf(fs->session, &fs->buffer)) > 0)
		fuse_session_process_buf(fs->session, &fs->buffer);
}

/*
 * A reader that received a fatal signal must get an answer: the kernel does not end it before. Any
 * other signal leaves it waiting, like a read that blocks in the driver.
 */
static bool is_dying(pid_t thread)
{
	char path[32], text[4096];
	const char *pending;

	snprintf(path, sizeof(path), "/proc/%d/status", thread);
	if (file_read(AT_FDCWD, path, text, sizeof(text)) < 0)
		return true;
	pending = strstr(text, "\nSigPnd:\t");
	return pending && strtoull(pending + 9, NULL, 16) & 1ull << (SIGKILL - 1);
}

/* Answers it if its delay is over. */
static bool settle(struct faultfs *fs, const struct waiting *w, int64_t now)
{
	pid_t reader = fuse_req_ctx(w->request)->pid;
	bool released = w->due == INT64_MAX && !faultops_has(fs, w->node, FAULT_HANG);

	if (now >= w->due || released || w->node->dead)
		faultops_read(fs, w->request, w->node, w->size, w->offset);
	else if (reader > 0 && is_dying(reader))
		fuse_reply_err(w->request, EINTR);
	else
		return false;
	return true;
}

void faultfs_expire(struct faultfs *fs)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);
	struct waiting **link = &fs->waiting, *w;

	while ((w = *link)) {
		if (!settle(fs, w, now)) {
			link = &w->next;
			continue;
		}
		*link = w->next;
		free(w);
	}
}

int faultfs_timeout(const struct faultfs *fs)
{
	int64_t now = clock_now(CLOCK_MONOTONIC), due = INT64_MAX;

	for (const struct waiting *w = fs->waiting; w; w = w->next)
		due = MIN(due, w->due);
	if (due == INT64_MAX)
		return -1;
	return due <= now ? 0 : (int)MIN((due - now) / NS_PER_MS + 1, INT32_MAX);
}

void faultfs_kill(struct faultfs *fs, const struct sim_device *d)
{
	nodes_kill(&fs->nodes, d);
	faultfs_expire(fs);
}
