/* The files that probes are on: the map of libraries, as the tracer sees it. */
#pragma once

#include "trace/tracer.h"

#include "metal/library.h"

#include <sys/stat.h>

/* What is attached now, also by others; a place whose id is 0 is free. */
MUST_CHECK int libraries_read(const struct tracer *tracer,
			      struct trace_library list[static TRACE_LIBRARIES]);

/* Is it this file, unchanged? */
bool libraries_is(const struct trace_library *library, const struct stat *st);

/* The one that this file is; NULL: none. */
const struct trace_library *libraries_find(const struct trace_library list[static TRACE_LIBRARIES],
					   const struct stat *st);

/*
 * Attaches to a file. Calls are counted from now on; a process that starts later is
 * seen from its first instruction. -ENOSPC: there are too many libraries.
 */
MUST_CHECK int libraries_add(struct tracer *tracer,
			     struct trace_library list[static TRACE_LIBRARIES],
			     const struct metal_library *library, int fd, const struct stat *st,
			     const char *path, uint32_t *ret_id);

void libraries_drop(const struct tracer *tracer, struct trace_library *library);

/* Where it is now, for people. */
void libraries_set_path(const struct tracer *tracer, struct trace_library *library,
			const char *path);

/* ns since 1970 */
int64_t libraries_changed(const struct stat *st);
