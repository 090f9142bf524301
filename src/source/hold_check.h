/*
 * Reads the descriptors and mappings of processes that are reported to have a device open.
 *
 * Each is a job, since it blocks if a descriptor is on a file server that does not respond. At a
 * low rate the result is kept from sample to sample, so that an unchanged process is not read
 * again.
 */
#pragma once

#include "basic/macros.h"
#include "basic/worker_pool.h"
#include "source/hold_record.h"
#include "source/open_files.h"
#include "source/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hold_check {
	struct job job;
	const struct fd_reader *reader;
	int32_t pid;
	bool is_reported; /* in this sample */
	bool late;	  /* its job timed out, and still uses the members below */
	struct device_set expected;
	int error;
	struct open_files_cache cache;
	bool may_keep;	  /* fd may stay open */
	int fd;		  /* of /proc/PID/fd, open between samples; -1: closed */
	int64_t clock_ns; /* the process's CPU clock in this sample; -1: unknown */
	int64_t ran_ns;	  /* and when its descriptors were read */
};

struct hold_checks {
	const struct fd_reader *reader;
	struct hold_check **list; /* by pid; also those of earlier samples whose job hangs */
	size_t count;
	size_t most_kept; /* how many may keep a descriptor open; 0: not known yet */
};

/*
 * Checks the processes of the records and adds the results to them. To be called after
 * fd_reader_begin().
 */
MUST_CHECK int hold_checks_run(struct hold_checks *checks, struct sample *sample,
			       struct hold_records *records);

/*
 * Frees all checks except those whose job hangs. False: there are some, which still use the reader.
 */
bool hold_checks_done(struct hold_checks *checks, struct worker_pool *workers);
