/*
 * Finds the processes that have a device open, by the descriptors of all of them
 * (source/open_files.h).
 */
#pragma once

#include "source/open_files.h"

struct fd_scan;

MUST_CHECK int fd_scan_new(const struct root *root, struct fd_scan **ret);
struct fd_scan *fd_scan_free(struct fd_scan *scan);

/*
 * To be called once per sample, as fd_reader_begin(). most_kept: so many directories fd_scan_run()
 * may leave open for the next time.
 */
MUST_CHECK int fd_scan_begin(struct fd_scan *scan, size_t most_kept);

/* For reading single processes. */
const struct fd_reader *fd_scan_reader(const struct fd_scan *scan);

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
