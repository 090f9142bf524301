/*
 * Memory that a process held before its library was attached to, read from its allocators.
 * An allocator is known once a call named it.
 *
 * The process keeps running. Each set of live buffers is walked twice, and only buffers that
 * were there both times count; the kernel refuses a buffer that was freed or allocated since
 * the attach, however long ago it was read.
 *
 * Memory of other processes may block (userfaultfd, a FUSE file), or take long to read: each
 * process is a job of the worker pool with a time limit.
 */
#pragma once

#include "trace/scan_state.h"

struct process_readback;

struct readback {
	struct process_readback *processes; /* being read, or not to be retried yet */
};

/* Reads all allocators that were not read yet. Those that cannot be read now are tried again. */
MUST_CHECK int readback_run(struct readback *readback, struct scan_state *scan);
void readback_done(struct readback *readback);
