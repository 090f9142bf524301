#include "source/fd_scan.h"

#include "basic/array.h"
#include "basic/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A process of the last scan. */
struct scanned_process {
	struct open_files_cache cache;
	int fd;	       /* of its directory, kept open; -1: closed */
	bool is_there; /* found by the current scan */
};

struct fd_scan {
	struct fd_reader reader;
	int32_t self;
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
	scan->reader.root = root;
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

int fd_scan_begin(struct fd_scan *scan, size_t most_kept)
{
	scan->most_kept = most_kept;
	return fd_reader_begin(&scan->reader);
}

const struct fd_reader *fd_scan_reader(const struct fd_scan *scan)
{
	return &scan->reader;
}

/*
 * Reading all mappings would double the cost of the scan, so they are read only if the process has
 * closed a device that it had open before.
 */
static void update(struct fd_scan *scan, struct scanned_process *process)
{
	struct device_set before = process->cache.seen.devices;

	process->is_there = true;
	scan->n_kept -= process->fd >= 0;
	(void)open_files_update(&scan->reader, &before, &process->cache, &process->fd,
				scan->n_kept < scan->most_kept);
	scan->n_kept += process->fd >= 0;
}

static int by_pid(const void *a, const void *b)
{
	int32_t x = ((const struct scanned_process *)a)->cache.pid,
		y = ((const struct scanned_process *)b)->cache.pid;

	return (x > y) - (x < y);
}

static struct scanned_process *add_process(struct fd_scan *scan, int32_t pid)
{
	struct scanned_process *process;

	process = array_grow(scan->list, scan->count, &scan->room, sizeof(*process));
	if (!process)
		return NULL;
	scan->list = process;
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
	scan->error = root_each(scan->reader.root, "proc", visit_process, &run);
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
		const struct open_files_cache *cache = &scan->list[i].cache;

		*ret_complete = *ret_complete && cache->error == 0;
		if (cache->error == 0 && (!device_set_is_empty(&cache->seen.devices) ||
					  (tables && cache->seen.tables.count)))
			r = each(cache->pid, &cache->seen, arg);
	}
	return r < 0 ? r : 0;
}
