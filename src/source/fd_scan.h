/*
 * Finds the devices that a process has open, by its descriptors and mappings; for one process or
 * all of them.
 *
 * On a live machine, devices are recognized by their device number, since paths differ in
 * containers. In a recorded or simulated tree they are recognized by the text of the links.
 *
 * Reading costs 2 us per descriptor, so the result is cached: a process whose number of descriptors
 * did not change is read again after 16 seconds only.
 */
#pragma once

#include "basic/root.h"
#include "basic/macros.h"
#include "model/device_set.h"
#include "model/process.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The files of interest that a process has open. */
struct open_files {
	struct device_set devices;
	struct table_fds tables, program_tables;
};

/* The cached result for a process, and the attributes by which a later change is detected. */
struct fd_scan_cache {
	int32_t pid;
	int error;	     /* of reading it */
	int64_t due_ns;	     /* when to read it again though nothing has changed */
	int64_t descriptors; /* st_size of /proc/PID/fd; 0 on kernels before 6.2 */
	uint64_t inode; /* of that directory: another one after the pid was reused; 0: never read */
	struct timespec changed;
	struct open_files seen;
};

struct fd_scan;

MUST_CHECK int fd_scan_new(const struct root *root, struct fd_scan **ret);
struct fd_scan *fd_scan_free(struct fd_scan *scan);

/*
 * Reads the driver's major number, and facts about this kernel's procfs. To be called once per
 * sample. most_kept: so many directories fd_scan_run() may leave open for the next time.
 */
MUST_CHECK int fd_scan_begin(struct fd_scan *scan, size_t most_kept);

/*
 * Finds the devices that one process has open and, if an expected one is not among them, those that
 * it has mapped. The result is in cache->seen. For the first call only cache->pid is set; later
 * calls with the same cache may find that nothing changed, and return without reading. *kept is the
 * descriptor of /proc/PID/fd, left open for the next call, or -1; with kept == NULL it is closed.
 * -ENOENT: no such process; -EACCES: not permitted. May be called from any thread between two calls
 * of fd_scan_begin().
 */
MUST_CHECK int fd_scan_process(const struct fd_scan *scan, const struct device_set *expected,
			       struct fd_scan_cache *cache, int *kept);

/*
 * Is the cached result still valid, judged by the number of descriptors? Uses the descriptor that
 * fd_scan_process() kept, and does not block. False if kept is -1.
 */
bool fd_scan_is_unchanged(const struct fd_scan *scan, const struct device_set *expected,
			  const struct fd_scan_cache *cache, int kept);

/*
 * Reads every process except our own; the argument is the scan. Run it as a job: it blocks if a
 * descriptor is on a file server that does not respond.
 */
void fd_scan_run(void *scan);

/*
 * Calls each() for every process of the last fd_scan_run() that has a device open or, if tables is
 * set, only a table. *ret_complete: all processes could be read. -errno if the scan or each()
 * failed.
 */
MUST_CHECK int fd_scan_each(const struct fd_scan *scan, bool tables,
			    int (*each)(int32_t pid, const struct open_files *seen, void *arg),
			    void *arg, bool *ret_complete);
