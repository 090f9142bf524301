/*
 * Which devices a process has open, by its descriptors and mappings; for one
 * process or all of them.
 *
 * On a live machine a descriptor is the device's if its device number is: names
 * differ in containers. In a recorded or simulated tree the links are texts.
 *
 * Looking costs 2 us per descriptor, so it is remembered: a process whose number of
 * descriptors did not change is not looked at again, but for a part of them in turn
 * each time.
 */
#pragma once

#include "basic/root.h"
#include "basic/macros.h"
#include "model/device_set.h"
#include "model/process.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* What a process has open. */
struct open_files {
	struct device_set devices;
	int32_t tables[PROCESS_TABLES]; /* descriptors of libttalloc tables, inherited ones too */
	unsigned n_tables;
};

/* What was seen of a process, and by what it is told that nothing changed since. */
struct fd_scan_cache {
	int32_t pid;
	int error;	     /* of looking at it */
	unsigned spared;     /* so many more looks, if nothing changes */
	int64_t descriptors; /* st_size of /proc/PID/fd; 0 on kernels before 6.2 */
	uint64_t inode;	     /* of that directory: another one after the number's reuse; 0: new */
	struct timespec changed;
	struct open_files seen;
};

struct fd_scan;

MUST_CHECK int fd_scan_new(const struct root *root, struct fd_scan **ret);
struct fd_scan *fd_scan_free(struct fd_scan *scan);

/* Learns the driver's device number, once per sample. */
MUST_CHECK int fd_scan_begin(struct fd_scan *scan);

/*
 * Fills the devices that one process has open; if one that is expected is not among
 * them, those that it has mapped as well. Only the pid need be filled in before; what
 * else an earlier look left there may spare this one. -ENOENT: no such process;
 * -EACCES: we may not look. Safe from any thread between two fd_scan_begin().
 */
MUST_CHECK int fd_scan_process(const struct fd_scan *scan, const struct device_set *expected,
			       struct fd_scan_cache *cache);

/*
 * Looks at every process but our own; the argument is the scan. A job's work: a
 * descriptor on a file server that is gone can hang it.
 */
void fd_scan_run(void *scan);

/*
 * Calls each() for every process of the last fd_scan_run() that has a device open, or,
 * with tables, only a table. *ret_complete: there was no process that we may not look
 * at. -errno if the scan or each() failed.
 */
MUST_CHECK int fd_scan_each(const struct fd_scan *scan, bool tables,
			    int (*each)(int32_t pid, const struct open_files *seen, void *arg),
			    void *arg, bool *ret_complete);
