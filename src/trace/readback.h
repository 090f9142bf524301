/*
 * What a process held before its library was attached to: read from its memory,
 * through each allocator that has been heard of since.
 *
 * The process runs on meanwhile. Each set is walked twice and only what was there both
 * times counts; the kernel refuses a buffer that was freed or allocated since, however
 * long ago it was read.
 *
 * Memory of strangers may not answer (userfaultfd, a file of FUSE), or be so much that
 * it takes long: a job of the worker pool for each process, with an end of its own.
 */
#pragma once

#include "trace/tracer.h"

struct reading;
struct scan;

struct readback {
	struct reading *readings; /* not yet done, or not to be tried again so soon */
};

/* All allocators of all processes that are not read yet. Those that cannot be read now are tried
 * again. */
MUST_CHECK int readback_run(struct readback *readback, struct scan *scan);
void readback_done(struct readback *readback);
