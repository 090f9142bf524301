/*
 * What a process held before its library was attached to: read from its memory,
 * through each allocator that has been heard of since.
 *
 * The process runs on meanwhile. Each set is walked twice and only what was there both
 * times counts; the kernel refuses a buffer that was freed or allocated since.
 */
#pragma once

#include "trace/tracer.h"

/* All allocators of all processes that are not read yet. Those that cannot be read now are tried
 * again. */
MUST_CHECK int readback_run(const struct tracer *tracer,
			    const struct trace_library list[static TRACE_LIBRARIES]);
