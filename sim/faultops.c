#include "faultops.h"

#include "attr.h"
#include "basic/buf.h"
#include "basic/clock.h"
#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queues the read for later. */
static void delay_read(struct faultfs *fs, struct waiting w)
{
	struct waiting *new = malloc(sizeof(*new));

	if (!new) {
		fuse_reply_err(w.request, ENOMEM);
		return;
	}
	w.next = fs->waiting;
	*new = w;
	fs->waiting = new;
}

#define ATTRIBUTE_SIZE 4096

static struct faultfs *fs_of(fuse_req_t request)
{
	return fuse_req_userdata(request);
}

static const char *backing_path(const struct fault_node *node)
{
	return *node->path ? node->path : ".";
}

/* As in the driver: owned by root, and one page long regardless of the content. */
static int node_stat(struct faultfs *fs, struct fault_node *node, struct stat *st)
{
	if (node->dead) {
		*st = node->last;
		st->st_nlink = 0;
		return 0;
	}
	if (fstatat(fs->backing, backing_path(node), st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	st->st_ino = node->number;
	st->st_uid = st->st_gid = 0;
	if (S_ISREG(st->st_mode) && strcmp(node_name(node), "config") != 0)
		st->st_size = fs->kind == FAULTFS_SYS ? ATTRIBUTE_SIZE : 0;
	node->last = *st;
	return 0;
}

static void do_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	struct faultfs *fs = fs_of(request);
	struct fault_node *directory = nodes_get(&fs->nodes, parent), *node;
	struct fuse_entry_param entry = { 0 };
	char path[512];
	struct stat st;
	int r;

	if (!directory || directory->dead) {
		fuse_reply_err(request, ENOENT);
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", backing_path(directory), name);
	if (fstatat(fs->backing, path, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		fuse_reply_err(request, errno);
		return;
	}
	node = nodes_find(&fs->nodes, directory, name);
	r = node ? node_stat(fs, node, &entry.attr) : -ENOMEM;
	if (r < 0) {
		fuse_reply_err(request, -r);
		return;
	}
	entry.ino = node->number;
	fuse_reply_entry(request, &entry);
}

static void do_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info)
{
	struct faultfs *fs = fs_of(request);
	struct fault_node *node = nodes_get(&fs->nodes, number);
	struct stat st;
	int r = node ? node_stat(fs, node, &st) : -ENOENT;

	(void)info;
	if (r < 0)
		fuse_reply_err(request, -r);
	else
		fuse_reply_attr(request, &st, 0);
}

static void do_readlink(fuse_req_t request, fuse_ino_t number)
{
	struct faultfs *fs = fs_of(request);
	struct fault_node *node = nodes_get(&fs->nodes, number);
	char target[512];
	ssize_t r = -ENOENT;

	if (node && !node->dead)
		r = file_readlink(fs->backing, node->path, target, sizeof(target));
	if (r < 0)
		fuse_reply_err(request, (int)-r);
	else
		fuse_reply_readlink(request, target);
}

bool faultops_has(struct faultfs *fs, const struct fault_node *node, enum fault_kind kind)
{
	return node->device && machine_fault(fs->machine, node->device, kind, node_name(node));
}

static void do_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info)
{
	struct faultfs *fs = fs_of(request);
	struct fault_node *node = nodes_get(&fs->nodes, number);

	if (!node || node->dead) {
		fuse_reply_err(request, ENOENT);
	} else if ((info->flags & O_ACCMODE) != O_RDONLY || faultops_has(fs, node, FAULT_DENIED)) {
		fuse_reply_err(request, EACCES);
	} else {
		info->direct_io = 1; /* no page caching of earlier content */
		fuse_reply_open(request, info);
	}
}

/* The error that the driver would return instead of the text; 0: none. */
static int read_error(struct faultfs *fs, const struct fault_node *node)
{
	if (node->dead)
		return fs->kind == FAULTFS_SYS ? ENODEV : EIO;
	if (!strcmp(node_name(node), "autosuspend_delay_ms") || faultops_has(fs, node, FAULT_EIO))
		return EIO;
	if (node->device && node->device->in_reset && !node->device->off_bus &&
	    attr_fails_in_reset(node->path))
		return ENODATA;
	return 0;
}

void faultops_read(struct faultfs *fs, fuse_req_t request, const struct fault_node *node,
		   size_t size, off_t offset)
{
	CLEANUP_CLOSE int fd = -1;
	char text[16384];
	ssize_t length;
	int error = read_error(fs, node);

	if (!error) {
		fd = openat(fs->backing, node->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		error = fd < 0 ? errno : 0;
	}
	if (error) {
		fuse_reply_err(request, error);
		return;
	}
	length = pread(fd, text, MIN(size, sizeof(text)), offset);
	if (length < 0)
		fuse_reply_err(request, errno);
	else
		fuse_reply_buf(request, text, (size_t)length);
}

static void do_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
		    struct fuse_file_info *info)
{
	struct faultfs *fs = fs_of(request);
	struct fault_node *node = nodes_get(&fs->nodes, number);
	struct waiting w = { .request = request, .node = node, .size = size, .offset = offset };
	const struct fault *slow = NULL;

	(void)info;
	if (!node) {
		fuse_reply_err(request, ENOENT);
		return;
	}
	/* At the end of the text the chip is not accessed. */
	if (node->device && offset == 0)
		slow = machine_fault(fs->machine, node->device, FAULT_SLOW, node_name(node));
	if (!node->dead && offset == 0 && faultops_has(fs, node, FAULT_HANG)) {
		w.due = INT64_MAX;
		delay_read(fs, w);
	} else if (!node->dead && slow) {
		w.due = clock_now(CLOCK_MONOTONIC) + slow->amount * NS_PER_MS;
		delay_read(fs, w);
	} else {
		faultops_read(fs, request, node, size, offset);
	}
}

struct listing {
	struct buf entries;
	fuse_req_t request;
};

static int list_name(const char *name, void *arg)
{
	struct listing *l = arg;
	struct stat st = { .st_ino = 1 };
	size_t size = fuse_add_direntry(l->request, NULL, 0, name, NULL, 0);
	size_t before = l->entries.length;

	buf_fill(&l->entries, '\0', size);
	if (l->entries.failed)
		return -ENOMEM;
	fuse_add_direntry(l->request, l->entries.data + before, size, name, &st,
			  (off_t)l->entries.length);
	return 0;
}

/* Lists all names at once, so that a reader sees each name once. */
static void do_opendir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info)
{
	struct faultfs *fs = fs_of(request);
	struct fault_node *node = nodes_get(&fs->nodes, number);
	struct listing l = { .request = request };
	struct buf *kept;
	int r = node && !node->dead ? 0 : -ENOENT;

	if (r == 0)
		r = list_name(".", &l);
	if (r == 0)
		r = list_name("..", &l);
	if (r == 0)
		r = directory_each(fs->backing, backing_path(node), list_name, &l);
	kept = r == 0 ? malloc(sizeof(*kept)) : NULL;
	if (!kept) {
		buf_done(&l.entries);
		fuse_reply_err(request, r < 0 ? -r : ENOMEM);
		return;
	}
	*kept = l.entries;
	info->fh = (uint64_t)(uintptr_t)kept;
	fuse_reply_open(request, info);
}

static void do_readdir(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset,
		       struct fuse_file_info *info)
{
	const struct buf *entries = (const struct buf *)(uintptr_t)info->fh;
	size_t from = MIN((size_t)offset, entries->length);

	(void)number;
	fuse_reply_buf(request, entries->data + from, MIN(size, entries->length - from));
}

static void do_releasedir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info)
{
	struct buf *entries = (struct buf *)(uintptr_t)info->fh;

	(void)number;
	buf_done(entries);
	free(entries);
	fuse_reply_err(request, 0);
}

const struct fuse_lowlevel_ops fault_operations = {
	.lookup = do_lookup,
	.getattr = do_getattr,
	.readlink = do_readlink,
	.open = do_open,
	.read = do_read,
	.opendir = do_opendir,
	.readdir = do_readdir,
	.releasedir = do_releasedir,
};
