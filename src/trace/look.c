#include "trace/look.h"

#include "trace/libraries.h"
#include "trace/task.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "metal/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

/* Texts of processes with more mappings than any has. */
#define MAPS_MAX (64UL << 20)

/* A file system that has not answered one look for so long is not asked by others. */
#define STUCK (250 * NS_PER_MS)

/* Looks at files of one user that are not answered: each has a thread to itself. */
#define HELD_MAX 8

/* false: somebody waits for this file system already, or too many for files of this owner. */
static bool touch(struct look *look, uint64_t device)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);
	struct files *files = look->files;
	unsigned held = 0;
	bool stuck = false;

	pthread_mutex_lock(&files->lock);
	for (struct look *other = files->busy; other; other = other->next_busy) {
		if (now - other->since <= STUCK)
			continue;
		stuck |= device && other->device == device;
		held += other->owner == look->owner;
	}
	stuck |= look->owner != 0 && held >= HELD_MAX;
	if (!stuck) {
		look->device = device;
		look->since = now;
		look->next_busy = files->busy;
		files->busy = look;
	}
	pthread_mutex_unlock(&files->lock);
	return !stuck;
}

static void touch_end(struct look *look)
{
	struct look **at = &look->files->busy;

	pthread_mutex_lock(&look->files->lock);
	while (*at != look)
		at = &(*at)->next_busy;
	*at = look->next_busy;
	pthread_mutex_unlock(&look->files->lock);
}

static int add(struct look *look, const struct found *found, const char *name)
{
	struct found *more = realloc(look->found, (look->n_found + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	look->found = more;
	more += look->n_found++;
	*more = *found;
	snprintf(more->name, sizeof(more->name), "%s", name);
	return 0;
}

static int read_file(struct look *look, int seen, const char *name, struct found *found)
{
	struct verdict verdict = files_key(&found->st);
	CLEANUP_CLOSE int fd = -1;
	struct statfs system;
	int r;

	if (!S_ISREG(found->st.st_mode))
		return S_ISDIR(found->st.st_mode) ? -EISDIR : -EINVAL;
	fd = file_open_seen(seen);
	if (fd < 0)
		return fd;
	found->read = metal_library_read(&found->library, fd);
	if (found->read == -ENOENT || found->read == -EBADMSG)
		return files_remember(look->files, &verdict); /* not TT-Metal */
	if (found->read < 0 && found->read != -ENOTSUP)
		return found->read;
	if (fstatfs(fd, &system) < 0)
		return -errno;
	found->is_served = system.f_type == FUSE_SUPER_MAGIC;
	found->fd = fd;
	verdict.metal = verdict.unjudged = true;
	r = files_remember(look->files, &verdict);
	if (r == 0)
		r = add(look, found, name);
	if (r == 0)
		fd = -1;
	return r;
}

/*
 * path is opened, name is what people read. What is told of the file and what is read are of
 * one descriptor: whose file it is may put another in its place at any moment.
 */
static int look_at(struct look *look, const char *path, const char *name)
{
	CLEANUP_CLOSE int seen = open(path, O_PATH | O_CLOEXEC);
	struct found found = { .fd = -1 };
	struct verdict verdict;

	if (seen < 0 || fstat(seen, &found.st) < 0)
		return -errno;
	look->st = found.st;
	verdict = files_key(&found.st);
	if (!files_know(look->files, &verdict))
		return read_file(look, seen, name, &found);
	return verdict.metal ? add(look, &found, name) : 0;
}

static int look_at_mapping(const struct metal_mapping *mapping, void *arg)
{
	struct look *look = arg;
	char path[96];
	int r;

	if (!touch(look, makedev(mapping->major, mapping->minor))) {
		look->unread = true;
		return 0;
	}
	/* The mapped file itself: its name may mean another one by now, or here. */
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, look->pid,
		 mapping->start, mapping->end);
	r = look_at(look, path, mapping->path);
	touch_end(look);
	/* It may be gone, or no file; a user's own file system does not let even root in. */
	if (r < 0 && r != -ENOENT && r != -EINVAL && r != -EACCES)
		look->unread = true;
	return r == -ENOMEM ? r : 0;
}

static int look_at_maps(struct look *look)
{
	CLEANUP_BUF struct buf text = { 0 };
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/%d/maps", look->pid);
	look->owner = task_owner(look->pid);
	r = file_read_all(AT_FDCWD, path, MAPS_MAX, &text);
	if (r < 0 || !text.length)
		return r;
	return metal_mapped_each(text.data, look_at_mapping, look);
}

/* On which file system it is shows when it is found, and even that may take for ever. */
static int look_at_path(struct look *look)
{
	CLEANUP_FREE char *path = NULL;
	int r;

	look->owner = (uid_t)-1;
	if (!touch(look, 0))
		return -ETIMEDOUT;
	path = realpath(look->path, NULL);
	r = path ? look_at(look, path, path) : -errno;
	touch_end(look);
	return r;
}

static void run(void *arg)
{
	struct look *look = arg;

	look->result = look->pid ? look_at_maps(look) : look_at_path(look);
}

struct look *look_new(struct files *files, pid_t pid, const char *path)
{
	struct look *look = calloc(1, sizeof(*look));

	if (!look)
		return NULL;
	look->job = (struct job){ .run = run, .arg = look };
	look->files = files;
	look->began = clock_now(CLOCK_MONOTONIC);
	look->pid = pid;
	if (path)
		snprintf(look->path, sizeof(look->path), "%s", path);
	look->next = files->looks;
	files->looks = look;
	return look;
}

void look_leave(struct look *look)
{
	if (look)
		look->is_left = true;
}

struct look *look_free(struct look *look)
{
	struct look **at;

	if (!look)
		return NULL;
	for (at = &look->files->looks; *at != look; at = &(*at)->next)
		;
	*at = look->next;
	for (size_t i = 0; i < look->n_found; i++)
		cleanup_close(&look->found[i].fd);
	free(look->found);
	free(look);
	return NULL;
}
