#include "source/fd_scan.h"

#include "basic/file.h"
#include "basic/parse.h"
#include "proto/table.h"
#include "source/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* One in this many unchanged processes is read again each time. */
enum { SWEEP = 16 };

struct fd_scan {
	const struct root *root;
	bool has_major;
	uint32_t major;
	int32_t self;
	int error;		      /* of the last scan */
	struct fd_scan_cache *caches; /* by pid, of the last scan */
	size_t n_caches;
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
	if (scan)
		free(scan->caches);
	free(scan);
	return NULL;
}

/* The major number is assigned when the module is loaded. */
int fd_scan_begin(struct fd_scan *scan)
{
	CLEANUP_BUF struct buf text = { 0 };
	int r;

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

/* A memfd has no path; its link contains the name that its creator gave it. */
static void look_for_table(struct fd_visit *look, const char *name, const char *link)
{
	struct open_files *seen = look->seen;
	uint32_t descriptor;

	if (strcmp(link, TABLE_LINK) == 0 && seen->n_tables < ARRAY_SIZE(seen->tables) &&
	    parse_u32(name, &descriptor) == 0)
		seen->tables[seen->n_tables++] = (int32_t)descriptor;
}

/*
 * By device number, since names differ in containers. A node that was removed has no links left,
 * and its number may be another card's by now. AT_STATX_DONT_SYNC: a file system that does not
 * answer is not asked.
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

/* Records by what a change will be noticed. */
static void remember(struct fd_scan_cache *cache, int dir)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return;
	/* Spread out, so that not all are read again in the same scan. */
	cache->spared = cache->inode ? SWEEP - 1 : (unsigned)cache->pid % SWEEP;
	cache->descriptors = st.st_size;
	cache->inode = st.st_ino;
	cache->changed = st.st_ctim;
}

static int look_at_descriptors(const struct fd_scan *scan, struct fd_scan_cache *cache)
{
	CLEANUP_CLOSE int dir = -1;
	struct fd_visit look = { .scan = scan, .seen = &cache->seen };
	char path[32];

	cache->seen = (struct open_files){ 0 };
	snprintf(path, sizeof(path), "proc/%d/fd", cache->pid);
	dir = root_open(scan->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) {
		cache->inode = 0;
		return dir;
	}
	remember(cache, dir);
	look.dir = dir;
	return directory_read(dir, visit_descriptor, &look);
}

/* Is it the same process with the same number of descriptors, and not its turn to be read? */
static bool is_unchanged(const struct fd_scan *scan, struct fd_scan_cache *cache)
{
	struct stat st;
	char path[32];

	if (!cache->inode || cache->error < 0 || cache->spared == 0)
		return false;
	snprintf(path, sizeof(path), "proc/%d/fd", cache->pid);
	if (root_stat(scan->root, path, &st) < 0 || st.st_size == 0 ||
	    cache->descriptors != st.st_size || cache->inode != st.st_ino ||
	    cache->changed.tv_sec != st.st_ctim.tv_sec ||
	    cache->changed.tv_nsec != st.st_ctim.tv_nsec)
		return false;
	cache->spared--;
	return true;
}

/* A device can be closed and stay mapped: only the mappings show that. */
int fd_scan_process(const struct fd_scan *scan, const struct device_set *expected,
		    struct fd_scan_cache *cache)
{
	if (scan->root->live && !scan->has_major)
		return -EOPNOTSUPP; /* without the number nothing can be disproved */
	if (is_unchanged(scan, cache) && !device_set_lacks(&cache->seen.devices, expected))
		return 0;
	cache->error = look_at_descriptors(scan, cache);
	if (cache->error == 0 && device_set_lacks(&cache->seen.devices, expected))
		cache->error = look_at_maps(scan, cache->pid, &cache->seen.devices);
	return cache->error;
}

/*
 * For a scan of all processes. Reading the mappings of all of them would double its cost, so they
 * are read only for a process that had a device open and closed it.
 */
static int look_again(const struct fd_scan *scan, struct fd_scan_cache *cache)
{
	struct device_set before = cache->seen.devices;
	int r = look_at_descriptors(scan, cache);

	if (r == 0 && device_set_lacks(&cache->seen.devices, &before))
		r = look_at_maps(scan, cache->pid, &cache->seen.devices);
	return r;
}

static int by_pid(const void *a, const void *b)
{
	int32_t x = ((const struct fd_scan_cache *)a)->pid,
		y = ((const struct fd_scan_cache *)b)->pid;

	return (x > y) - (x < y);
}

static const struct fd_scan_cache *find_cache(const struct fd_scan *scan, int32_t pid)
{
	struct fd_scan_cache wanted = { .pid = pid };

	if (!scan->n_caches)
		return NULL;
	return bsearch(&wanted, scan->caches, scan->n_caches, sizeof(wanted), by_pid);
}

struct scan_run {
	struct fd_scan *scan;
	struct fd_scan_cache *caches;
	size_t count, size;
};

static int visit_process(const char *name, void *arg)
{
	struct scan_run *run = arg;
	const struct fd_scan_cache *before;
	struct fd_scan_cache *cache;
	uint32_t pid;

	if (parse_u32(name, &pid) < 0 || pid == 0 || pid > INT32_MAX ||
	    (int32_t)pid == run->scan->self)
		return 0;
	if (run->count == run->size) {
		run->size = run->size ? run->size * 2 : 256;
		cache = reallocarray(run->caches, run->size, sizeof(*cache));
		if (!cache)
			return -ENOMEM;
		run->caches = cache;
	}
	cache = &run->caches[run->count];
	before = find_cache(run->scan, (int32_t)pid);
	*cache = before ? *before : (struct fd_scan_cache){ .pid = (int32_t)pid };
	if (!is_unchanged(run->scan, cache))
		cache->error = look_again(run->scan, cache);
	run->count += cache->error != -ENOENT;
	return 0;
}

void fd_scan_run(void *arg)
{
	struct fd_scan *scan = arg;
	struct scan_run run = { .scan = scan };

	scan->error = root_each(scan->root, "proc", visit_process, &run);
	if (scan->error < 0) {
		free(run.caches);
		return;
	}
	if (run.count) /* qsort() must not get NULL */
		qsort(run.caches, run.count, sizeof(*run.caches), by_pid);
	free(scan->caches);
	scan->caches = run.caches;
	scan->n_caches = run.count;
}

int fd_scan_each(const struct fd_scan *scan, bool tables,
		 int (*each)(int32_t pid, const struct open_files *seen, void *arg), void *arg,
		 bool *ret_complete)
{
	int r = scan->error;

	*ret_complete = true;
	for (size_t i = 0; i < scan->n_caches && r >= 0; i++) {
		const struct fd_scan_cache *cache = &scan->caches[i];

		*ret_complete = *ret_complete && cache->error == 0;
		if (cache->error == 0 && (!device_set_is_empty(&cache->seen.devices) ||
					  (tables && cache->seen.n_tables)))
			r = each(cache->pid, &cache->seen, arg);
	}
	return r < 0 ? r : 0;
}
