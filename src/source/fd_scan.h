/*
 * Which devices a process has open, by its descriptors and mappings; for one process or all of
 * them.
 *
 * On a live machine descriptors are compared by device number, since names differ in containers.
 * In a recorded or simulated tree the links are only texts.
 *
 * Reading costs 2 us per descriptor, so the result is cached: a process whose number of
 * descriptors did not change is not read again, but for one in sixteen in turn.
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

/* The result for a process, and by what a change since then is noticed. */
struct fd_scan_cache {
	int32_t pid;
	int error;	     /* of reading it */
	unsigned spared;     /* scans to skip, if nothing changes */
	int64_t descriptors; /* st_size of /proc/PID/fd; 0 on kernels before 6.2 */
	uint64_t inode; /* of that directory: another one after the pid was reused; 0: never read */
	struct timespec changed;
	struct open_files seen;
};

struct fd_scan;

MUST_CHECK int fd_scan_new(const struct root *root, struct fd_scan **ret);
struct fd_scan *fd_scan_free(struct fd_scan *scan);

/* Reads the driver's major number. To be called once per sample. */
MUST_CHECK int fd_scan_begin(struct fd_scan *scan);

/*
 * Fills the devices that one process has open and, if an expected one is not among them, those
 * that it has mapped. The cache needs a pid only; what an earlier call left in it may spare the
 * read. -ENOENT: no such process; -EACCES: not permitted. Safe from any thread between two
 * fd_scan_begin().
 */
MUST_CHECK int fd_scan_process(const struct fd_scan *scan, const struct device_set *expected,
			       struct fd_scan_cache *cache);

/*
 * Reads every process except our own; the argument is the scan. Run it as a job: a descriptor on a
 * file server that does not answer can hang it.
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
