#include "source/fd_scan.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "basic/parse.h"
#include "metal/program_table.h"
#include "proto/table.h"
#include "source/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Even an unchanged process is read again after this time. */
static const int64_t reread_ns = 16 * NS_PER_S;

/* A process of the last scan. */
struct scanned_process {
	struct fd_scan_cache cache;
	int fd;	       /* of its directory, kept open; -1: closed */
	bool is_there; /* found by the current scan */
};

struct fd_scan {
	const struct root *root;
	bool has_major;
	uint32_t major;
	int32_t self;
	dev_t procfs;		      /* st_dev of /proc; 0: not known yet */
	bool counts;		      /* the size of /proc/PID/fd is the number of descriptors */
	int error;		      /* of the last scan */
	struct scanned_process *list; /* by pid */
	size_t count, room;
	size_t most_kept, n_kept; /* directories that may be open, and that are */
};

int fd_scan_new(const struct root *root, struct fd_scan **ret)
{
	struct fd_scan *scan = calloc(1, sizeof(*scan));

	if (!scan)
		return -ENOMEM;
	scan->root = root;
	scan->self = root->live ? getpid() : 0;
	*ret = scan;
	return 0;
}

struct fd_scan *fd_scan_free(struct fd_scan *scan)
{
	if (!scan)
		return NULL;
	for (size_t i = 0; i < scan->count; i++)
		if (scan->list[i].fd >= 0)
			close(scan->list[i].fd);
	free(scan->list);
	free(scan);
	return NULL;
}

/* Linux 6.2 and later report the number of descriptors as the size of the directory. */
static void examine_procfs(struct fd_scan *scan)
{
	struct stat st;

	if (stat("/proc/self/fd", &st) < 0)
		return;
	scan->procfs = st.st_dev;
	scan->counts = st.st_size > 0;
}

/* The major number is assigned when the module is loaded. */
int fd_scan_begin(struct fd_scan *scan, size_t most_kept)
{
	CLEANUP_BUF struct buf text = { 0 };
	int r;

	if (!scan->procfs)
		examine_procfs(scan);
	scan->most_kept = most_kept;
	if (!scan->root->live || scan->has_major)
		return 0;
	r = root_read_all(scan->root, "proc/devices", 1 << 16, &text);
	if (r < 0)
		return r;
	scan->has_major = procfs_parse_devices(buf_text(&text), &scan->major);
	return 0;
}

struct fd_visit {
	const struct fd_scan *scan;
	int dir; /* /proc/PID/fd */
	struct open_files *seen;
};

/* A memfd has no path; its link contains the name given to memfd_create(). */
static void look_for_table(struct fd_visit *look, const char *name, const char *link)
{
	struct table_fds *fds = NULL;
	uint32_t descriptor;

	if (strcmp(link, TABLE_LINK) == 0)
		fds = &look->seen->tables;
	else if (strcmp(link, PROGRAM_TABLE_LINK) == 0)
		fds = &look->seen->program_tables;
	if (fds && fds->count < ARRAY_SIZE(fds->list) && parse_u32(name, &descriptor) == 0)
		fds->list[fds->count++] = (int32_t)descriptor;
}

/*
 * Compares device numbers, since names differ in containers. A removed node has no links left, and
 * its number may be reused by another card. AT_STATX_DONT_SYNC: does not contact a remote file
 * system.
 */
static void look_at_live(struct fd_visit *look, const char *name)
{
	const struct fd_scan *scan = look->scan;
	char link[64];
	struct statx st;

	if (statx(look->dir, name, AT_STATX_DONT_SYNC, STATX_TYPE | STATX_NLINK | STATX_SIZE, &st) <
	    0)
		return;
	if (S_ISCHR(st.stx_mode) && scan->has_major && st.stx_rdev_major == scan->major &&
	    st.stx_nlink > 0)
		device_set_add(&look->seen->devices, st.stx_rdev_minor);
	if (S_ISREG(st.stx_mode) && st.stx_nlink == 0 && st.stx_size >= TABLE_SLOT_OFFSET &&
	    file_readlink(look->dir, name, link, sizeof(link)) > 0)
		look_for_table(look, name, link);
}

/* In a tree, links are only texts: their targets need not exist. */
static void look_at_text(struct fd_visit *look, const char *name)
{
	char link[4096];
	uint32_t index;

	if (file_readlink(look->dir, name, link, sizeof(link)) <= 0)
		return;
	if (procfs_names_node(link, look->scan->root->path, &index))
		device_set_add(&look->seen->devices, index);
	look_for_table(look, name, link);
}

static int visit_descriptor(const char *name, void *arg)
{
	struct fd_visit *look = arg;

	if (look->scan->root->live)
		look_at_live(look, name);
	else
		look_at_text(look, name);
	return 0;
}

/* Line by line: the maps of a large program are megabytes. */
static int look_at_maps(const struct fd_scan *scan, int32_t pid, struct device_set *devices)
{
	CLEANUP_FREE char *line = NULL;
	size_t size = 0;
	char path[32];
	uint32_t index;
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "proc/%d/maps", pid);
	fd = root_open(scan->root, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fd;
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	while (getline(&line, &size, file) > 0)
		if (procfs_names_node(line, scan->root->path, &index))
			device_set_add(devices, index);
	fclose(file);
	return 0;
}

/* Stores size, inode and ctime of the directory, by which is_unchanged() detects a change. */
static void remember(struct fd_scan_cache *cache, const struct stat *st)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	/* Staggered, so that not all are read again in the same scan. */
	cache->due_ns = now + (cache->inode ? reread_ns : reread_ns / 16 * (cache->pid % 16 + 1));
	cache->descriptors = st->st_size;
	cache->inode = st->st_ino;
	cache->changed = st->st_ctim;
}

/* Opens /proc/PID/fd of the process that the cache is for. */
static int open_directory(const struct fd_scan *scan, const struct fd_scan_cache *cache)
{
	char path[32];

	snprintf(path, sizeof(path), "proc/%d/fd", cache->pid);
	return root_open(scan->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Is it a directory of this kernel's procfs, with the number of descriptors as its size? */
static bool has_count(const struct fd_scan *scan, const struct stat *st)
{
	return scan->counts && st->st_dev == scan->procfs;
}

/* dir: of the process, at its first entry; negative: the error of opening it. */
static int look_at_descriptors(const struct fd_scan *scan, struct fd_scan_cache *cache, int dir)
{
	struct fd_visit look = { .scan = scan, .seen = &cache->seen, .dir = dir };
	size_t count = SIZE_MAX;
	struct stat st;

	cache->seen = (struct open_files){ 0 };
	if (dir < 0) {
		cache->inode = 0;
		return dir;
	}
	if (fstat(dir, &st) == 0) {
		remember(cache, &st);
		count = has_count(scan, &st) ? (size_t)st.st_size : count;
	}
	return directory_read_count(dir, count, visit_descriptor, &look);
}

/* Is it the same process with the same number of descriptors? */
static bool is_unchanged(const struct fd_scan *scan, const struct fd_scan_cache *cache,
			 const struct stat *st)
{
	/* A kernel thread has none. */
	return (st->st_size > 0 || has_count(scan, st)) && cache->descriptors == st->st_size &&
	       cache->inode == st->st_ino && cache->changed.tv_sec == st->st_ctim.tv_sec &&
	       cache->changed.tv_nsec == st->st_ctim.tv_nsec;
}

static bool may_be_spared(const struct fd_scan_cache *cache)
{
	return cache->inode && cache->error >= 0 && clock_now(CLOCK_MONOTONIC) < cache->due_ns;
}

bool fd_scan_is_unchanged(const struct fd_scan *scan, const struct device_set *expected,
			  const struct fd_scan_cache *cache, int kept)
{
	struct stat st;

	return kept >= 0 && may_be_spared(cache) &&
	       !device_set_lacks(&cache->seen.devices, expected) && fstat(kept, &st) == 0 &&
	       is_unchanged(scan, cache, &st);
}

/* Like fd_scan_is_unchanged(), for a process whose directory is not kept open. */
static bool is_unchanged_there(const struct fd_scan *scan, const struct fd_scan_cache *cache)
{
	struct stat st;
	char path[32];

	if (!may_be_spared(cache))
		return false;
	snprintf(path, sizeof(path), "proc/%d/fd", cache->pid);
	return root_stat(scan->root, path, &st) == 0 && is_unchanged(scan, cache, &st);
}

/*
 * Rewinds the directory that was kept open, or opens it. A descriptor in procfs refers to the
 * process, not to its pid: it fails after the process has exited, even if the pid was reused.
 */
static int begin_directory(const struct fd_scan *scan, const struct fd_scan_cache *cache, int *kept)
{
	struct stat st;

	if (*kept >= 0 && fstat(*kept, &st) == 0 && lseek(*kept, 0, SEEK_SET) == 0)
		return *kept;
	if (*kept >= 0)
		close(*kept);
	*kept = open_directory(scan, cache);
	return *kept;
}

/* Only a descriptor in procfs can be kept: it belongs to one process for good. */
static void end_directory(int *kept, bool keep)
{
	if (*kept < 0 || (keep && file_is_in_procfs(*kept)))
		return;
	close(*kept);
	*kept = -1;
}

/* A process can close a device and keep it mapped; then only its mappings show the device. */
int fd_scan_process(const struct fd_scan *scan, const struct device_set *expected,
		    struct fd_scan_cache *cache, int *kept)
{
	int own = -1, *dir = kept ? kept : &own;

	if (scan->root->live && !scan->has_major)
		return -EOPNOTSUPP; /* without it no descriptor can be recognized */
	if (*dir < 0 && !device_set_lacks(&cache->seen.devices, expected) &&
	    is_unchanged_there(scan, cache))
		return 0;
	cache->error = look_at_descriptors(scan, cache, begin_directory(scan, cache, dir));
	end_directory(dir, kept);
	if (cache->error == 0 && device_set_lacks(&cache->seen.devices, expected))
		cache->error = look_at_maps(scan, cache->pid, &cache->seen.devices);
	return cache->error;
}

/* ---- all processes ---- */

/*
 * Reads one process for a scan of all of them. Reading all mappings would double the cost of the
 * scan, so they are read only if the process has closed a device that it had open before.
 */
static int look_again(struct fd_scan *scan, struct scanned_process *process)
{
	struct fd_scan_cache *cache = &process->cache;
	struct device_set before = cache->seen.devices;
	int r;

	scan->n_kept -= process->fd >= 0;
	r = look_at_descriptors(scan, cache, begin_directory(scan, cache, &process->fd));
	end_directory(&process->fd, scan->n_kept < scan->most_kept);
	scan->n_kept += process->fd >= 0;
	if (r == 0 && device_set_lacks(&cache->seen.devices, &before))
		r = look_at_maps(scan, cache->pid, &cache->seen.devices);
	return r;
}

static void update(struct fd_scan *scan, struct scanned_process *process)
{
	static const struct device_set nothing;
	const struct fd_scan_cache *cache = &process->cache;
	bool unchanged = process->fd >= 0 ? fd_scan_is_unchanged(scan, &nothing, cache, process->fd)
					  : is_unchanged_there(scan, cache);

	process->is_there = true;
	if (!unchanged)
		process->cache.error = look_again(scan, process);
}

static int by_pid(const void *a, const void *b)
{
	int32_t x = ((const struct scanned_process *)a)->cache.pid,
		y = ((const struct scanned_process *)b)->cache.pid;

	return (x > y) - (x < y);
}

static struct scanned_process *add_process(struct fd_scan *scan, int32_t pid)
{
	struct scanned_process *process = scan->list;

	if (scan->count == scan->room) {
		size_t room = scan->room ? scan->room * 2 : 256;

		process = reallocarray(process, room, sizeof(*process));
		if (!process)
			return NULL;
		scan->list = process;
		scan->room = room;
	}
	process += scan->count++;
	*process = (struct scanned_process){ .cache.pid = pid, .fd = -1 };
	return process;
}

struct scan_run {
	struct fd_scan *scan;
	size_t known; /* before this scan; sorted */
};

static int visit_process(const char *name, void *arg)
{
	struct scan_run *run = arg;
	struct scanned_process wanted, *process = NULL;
	uint32_t pid;

	if (parse_u32(name, &pid) < 0 || pid == 0 || pid > INT32_MAX ||
	    (int32_t)pid == run->scan->self)
		return 0;
	wanted.cache.pid = (int32_t)pid;
	if (run->known)
		process = bsearch(&wanted, run->scan->list, run->known, sizeof(wanted), by_pid);
	if (!process)
		process = add_process(run->scan, (int32_t)pid);
	if (!process)
		return -ENOMEM;
	update(run->scan, process);
	return 0;
}

/* Removes those that have exited. */
static void drop_gone(struct fd_scan *scan)
{
	size_t kept = 0;

	for (size_t i = 0; i < scan->count; i++) {
		struct scanned_process *process = &scan->list[i];

		if (process->is_there && process->cache.error != -ENOENT) {
			scan->list[kept++] = *process;
			continue;
		}
		if (process->fd >= 0) {
			close(process->fd);
			scan->n_kept--;
		}
	}
	scan->count = kept;
}

void fd_scan_run(void *arg)
{
	struct fd_scan *scan = arg;
	struct scan_run run = { .scan = scan, .known = scan->count };

	for (size_t i = 0; i < scan->count; i++)
		scan->list[i].is_there = false;
	scan->error = root_each(scan->root, "proc", visit_process, &run);
	drop_gone(scan);
	if (scan->count) /* qsort() must not get NULL */
		qsort(scan->list, scan->count, sizeof(*scan->list), by_pid);
}

int fd_scan_each(const struct fd_scan *scan, bool tables,
		 int (*each)(int32_t pid, const struct open_files *seen, void *arg), void *arg,
		 bool *ret_complete)
{
	int r = scan->error;

	*ret_complete = true;
	for (size_t i = 0; i < scan->count && r >= 0; i++) {
		const struct fd_scan_cache *cache = &scan->list[i].cache;

		*ret_complete = *ret_complete && cache->error == 0;
		if (cache->error == 0 && (!device_set_is_empty(&cache->seen.devices) ||
					  (tables && cache->seen.tables.count)))
			r = each(cache->pid, &cache->seen, arg);
	}
	return r < 0 ? r : 0;
}
