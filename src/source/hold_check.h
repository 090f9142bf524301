/*
 * Reads the descriptors and mappings of processes that are reported to have a device open.
 *
 * Each is a job, since a descriptor on a file server that does not answer can hang it. At a low
 * rate the result is kept from sample to sample, so that an unchanged process is not read again.
 */
#pragma once

#include "basic/macros.h"
#include "basic/worker_pool.h"
#include "source/fd_scan.h"
#include "source/hold_record.h"
#include "source/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hold_check {
	struct job job;
	const struct fd_scan *scan;
	int32_t pid;
	bool is_reported; /* in this sample */
	bool late;	  /* its job did not end in time, and owns what follows */
	struct device_set expected;
	int error;
	struct fd_scan_cache cache;
};

struct hold_checks {
	const struct fd_scan *scan;
	struct hold_check **list; /* by pid; also those of earlier samples whose job hangs */
	size_t count;
};

/* Checks the processes of the records and adds what was found to them. After fd_scan_begin(). */
MUST_CHECK int hold_checks_run(struct hold_checks *checks, struct sample *sample,
			       struct hold_records *records);

/* Frees all but those whose job hangs. False: there are some, which use the fd_scan. */
bool hold_checks_done(struct hold_checks *checks, struct worker_pool *workers);
