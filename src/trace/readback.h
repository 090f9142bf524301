/*
 * Reads memory that a process held before its library got probes, from its allocators. An allocator
 * is known once it appeared in a call.
 *
 * The process keeps running. Each set of live buffers is read twice, and only buffers that were
 * there both times count; the kernel rejects a buffer that was freed or allocated since the attach,
 * however long ago it was read.
 *
 * Reading memory of other processes may block (userfaultfd, a FUSE file) or take long: each process
 * is a job of the worker pool with a time limit.
 */
#pragma once

#include "trace/scan_state.h"

struct process_readback;

struct readback {
	struct process_readback *processes; /* being read, or in back-off */
};

/* Reads all allocators that were not read yet. Those that cannot be read now are retried later. */
MUST_CHECK int readback_run(struct readback *readback, struct scan_state *scan);
void readback_done(struct readback *readback);
