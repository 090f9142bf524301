/*
 * Finds the devices that one process has open, by its descriptors and mappings.
 *
 * On a live machine, devices are recognized by their device number, since paths differ in
 * containers. In a recorded or simulated tree they are recognized by the text of the links.
 *
 * Reading costs 2 us per descriptor, so the result is cached: a process whose number of descriptors
 * did not change is read again after 16 seconds only, and one that has not run at all after 64.
 */
#pragma once

#include "basic/macros.h"
#include "basic/root.h"
#include "model/device_set.h"
#include "model/process.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* The files of interest that a process has open. */
struct open_files {
	struct device_set devices;
	struct table_fds tables, program_tables;
};

/* The cached result for a process, and the attributes by which a later change is detected. */
struct open_files_cache {
	int32_t pid;
	int error;	     /* of reading it */
	int64_t due_ns;	     /* when to read it again though the number has not changed */
	int64_t descriptors; /* st_size of /proc/PID/fd; 0 on kernels before 6.2 */
	uint64_t inode; /* of that directory: another one after the pid was reused; 0: never read */
	struct timespec changed;
	struct open_files seen;
};

/* What is the same for all processes. Set root; fd_reader_begin() fills in the rest. */
struct fd_reader {
	const struct root *root;
	bool has_major;
	uint32_t major; /* of the driver's device numbers */
	dev_t procfs;	/* st_dev of /proc; 0: not known yet */
	bool counts;	/* the size of /proc/PID/fd is the number of descriptors */
};

/*
 * Reads the driver's major number, and facts about this kernel's procfs. To be called once per
 * sample; until the next call the functions below may be called from any thread.
 */
MUST_CHECK int fd_reader_begin(struct fd_reader *reader);

/*
 * Is the cached result still valid, judged by the number of descriptors, and has it all expected
 * devices? kept: what open_files_update() left open, with which this does not block, or -1.
 */
bool open_files_are_unchanged(const struct fd_reader *reader, const struct device_set *expected,
			      const struct open_files_cache *cache, int kept);

/* The same for a process that has not run since its descriptors were read. Reads nothing. */
bool open_files_outlast_idleness(const struct device_set *expected,
				 const struct open_files_cache *cache);

/*
 * Finds the devices that a process has open and, if an expected one is not among them, those that
 * it has mapped; if nothing has changed since the last call it reads nothing. The result is in
 * cache->seen. For the first call only cache->pid is set. *kept is the descriptor of /proc/PID/fd,
 * or -1; with keep it is left open for the next call. -ENOENT: no such process; -EACCES: not
 * permitted.
 */
int open_files_update(const struct fd_reader *reader, const struct device_set *expected,
		      struct open_files_cache *cache, int *kept, bool keep);
