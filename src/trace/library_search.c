#include "trace/library_search.h"

#include "trace/process_stat.h"

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

/* Upper limit for the text of /proc/PID/maps. */
#define MAPS_MAX (64UL << 20)

/* After a read has taken this long, no other search reads from the same file system. */
#define STUCK_AFTER (250 * NS_PER_MS)

/* Blocked searches per user: each of them occupies a thread. */
#define BLOCKED_MAX 8

/*
 * Marks the search as reading from a file system. False if another search is blocked in that file
 * system, or too many are blocked in files of this owner.
 */
static bool busy_begin(struct library_search *search, uint64_t device)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);
	struct library_searches *searches = search->searches;
	unsigned blocked = 0;
	bool is_stuck = false;

	pthread_mutex_lock(&searches->lock);
	for (struct library_search *other = searches->busy; other; other = other->next_busy) {
		if (now - other->since <= STUCK_AFTER)
			continue;
		is_stuck |= device && other->device == device;
		blocked += other->owner == search->owner;
	}
	is_stuck |= search->owner != 0 && blocked >= BLOCKED_MAX;
	if (!is_stuck) {
		search->device = device;
		search->since = now;
		search->next_busy = searches->busy;
		searches->busy = search;
	}
	pthread_mutex_unlock(&searches->lock);
	return !is_stuck;
}

static void busy_end(struct library_search *search)
{
	struct library_search **at = &search->searches->busy;

	pthread_mutex_lock(&search->searches->lock);
	while (*at != search)
		at = &(*at)->next_busy;
	*at = search->next_busy;
	pthread_mutex_unlock(&search->searches->lock);
}

static int add(struct library_search *search, const struct library_file *file, const char *name)
{
	struct library_file *more = realloc(search->found, (search->n_found + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	search->found = more;
	more += search->n_found++;
	*more = *file;
	snprintf(more->name, sizeof(more->name), "%s", name);
	return 0;
}

static int read_file(struct library_search *search, int path_fd, const char *name,
		     struct library_file *file)
{
	struct file_state state = file_state_init(&file->st);
	CLEANUP_CLOSE int fd = -1;
	struct statfs system;
	int r;

	if (!S_ISREG(file->st.st_mode))
		return S_ISDIR(file->st.st_mode) ? -EISDIR : -EINVAL;
	fd = file_reopen(path_fd);
	if (fd < 0)
		return fd;
	file->read = metal_library_read(&file->library, fd);
	if (file->read == -ENOENT || file->read == -EBADMSG)
		return file_cache_put(search->searches->cache, &state); /* not TT-Metal */
	if (file->read < 0 && file->read != -ENOTSUP)
		return file->read;
	if (fstatfs(fd, &system) < 0)
		return -errno;
	file->is_fuse = system.f_type == FUSE_SUPER_MAGIC;
	file->fd = fd;
	state.is_metal = state.is_pending = true;
	r = file_cache_put(search->searches->cache, &state);
	if (r == 0)
		r = add(search, file, name);
	if (r == 0)
		fd = -1;
	return r;
}

/*
 * Opens path; name is for messages. fstat() and read() use one descriptor, since the owner of
 * the file may replace it at any time.
 */
static int search_file(struct library_search *search, const char *path, const char *name)
{
	CLEANUP_CLOSE int path_fd = open(path, O_PATH | O_CLOEXEC);
	struct library_file file = { .fd = -1 };
	struct file_state state;

	if (path_fd < 0 || fstat(path_fd, &file.st) < 0)
		return -errno;
	search->st = file.st;
	state = file_state_init(&file.st);
	if (!file_cache_find(search->searches->cache, &state))
		return read_file(search, path_fd, name, &file);
	return state.is_metal ? add(search, &file, name) : 0;
}

static int search_mapping(const struct metal_mapping *mapping, void *arg)
{
	struct library_search *search = arg;
	char path[96];
	int r;

	if (!busy_begin(search, makedev(mapping->major, mapping->minor))) {
		search->has_unread = true;
		return 0;
	}
	/*
	 * The mapped file itself: its path may lead to another file by now, or in this container.
	 */
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, search->pid,
		 mapping->start, mapping->end);
	r = search_file(search, path, mapping->path);
	busy_end(search);
	/*
	 * The mapping may be gone, or not be a regular file; a FUSE file system without allow_root
	 * denies access even to root.
	 */
	if (r < 0 && r != -ENOENT && r != -EINVAL && r != -EACCES)
		search->has_unread = true;
	return r == -ENOMEM ? r : 0;
}

static int search_process(struct library_search *search)
{
	CLEANUP_BUF struct buf text = { 0 };
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/%d/maps", search->pid);
	search->owner = process_stat_owner(search->pid);
	r = file_read_all(AT_FDCWD, path, MAPS_MAX, &text);
	if (r < 0 || !text.length)
		return r;
	return metal_mapped_each(text.data, search_mapping, search);
}

/* The file system is unknown before realpath() returns, and even that may block. */
static int search_path(struct library_search *search)
{
	CLEANUP_FREE char *path = NULL;
	int r;

	search->owner = (uid_t)-1;
	if (!busy_begin(search, 0))
		return -ETIMEDOUT;
	path = realpath(search->path, NULL);
	r = path ? search_file(search, path, path) : -errno;
	busy_end(search);
	return r;
}

static void run(void *arg)
{
	struct library_search *search = arg;

	search->result = search->pid ? search_process(search) : search_path(search);
}

struct library_search *library_search_new(struct library_searches *searches, pid_t pid,
					  const char *path)
{
	struct library_search *search = calloc(1, sizeof(*search));

	if (!search)
		return NULL;
	search->job = (struct job){ .run = run, .arg = search };
	search->searches = searches;
	search->began = clock_now(CLOCK_MONOTONIC);
	search->pid = pid;
	if (path)
		snprintf(search->path, sizeof(search->path), "%s", path);
	search->next = searches->all;
	searches->all = search;
	return search;
}

void library_search_abandon(struct library_search *search)
{
	if (search)
		search->is_abandoned = true;
}

struct library_search *library_search_free(struct library_search *search)
{
	struct library_search **at;

	if (!search)
		return NULL;
	for (at = &search->searches->all; *at != search; at = &(*at)->next)
		;
	*at = search->next;
	for (size_t i = 0; i < search->n_found; i++)
		cleanup_close(&search->found[i].fd);
	free(search->found);
	free(search);
	return NULL;
}

void library_searches_init(struct library_searches *searches, struct file_cache *cache)
{
	*searches = (struct library_searches){ .cache = cache };
	pthread_mutex_init(&searches->lock, NULL);
}

void library_searches_done(struct library_searches *searches)
{
	while (searches->all)
		library_search_free(searches->all);
	pthread_mutex_destroy(&searches->lock);
}

void library_searches_clean(struct library_searches *searches, struct worker_pool *workers)
{
	struct library_search *next;

	for (struct library_search *search = searches->all; search; search = next) {
		next = search->next;
		if (search->is_abandoned && !job_is_busy(workers, &search->job))
			library_search_free(search);
	}
}
