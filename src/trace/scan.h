/*
 * Discovery: who holds a device, which of the files that they execute are TT-Metal,
 * and what has changed since the last time. Between two scans nothing runs.
 */
#pragma once

#include "trace/files.h"

#include <sys/types.h>

/* A process that has a device open. */
struct holder {
	pid_t pid;
	uint64_t start;
	char comm[TRACE_COMM + 1];
	uint64_t pages; /* of its address space when it was looked at */
	unsigned age;	/* scans since then */
	bool followed;
	uint32_t libraries[TRACE_COPIES]; /* that it maps; 0: no more */
	const char *why_not;		  /* if it is not, or its figures are not reliable */
	char file[256];			  /* that this is about; may be empty */
};

struct scan {
	struct tracer *tracer;
	struct files files;
	struct trace_library libraries[TRACE_LIBRARIES];
	struct holder *holders; /* by pid */
	size_t n_holders;
};

void scan_init(struct scan *scan, struct tracer *tracer);
void scan_done(struct scan *scan);

/* To be called first, under the lock: what others did since. */
MUST_CHECK int scan_begin(struct scan *scan);

/* All holders as they are now: attaches, enters, forgets, reads back. */
MUST_CHECK int scan_run(struct scan *scan, struct buf *problem);
