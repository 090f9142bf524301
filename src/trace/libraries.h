/* The map of libraries: the files that have probes. */
#pragma once

#include "trace/tracer.h"

#include "metal/library.h"

#include <sys/stat.h>

/* Reads the map, which other tracers change as well. An entry with id 0 is free. */
MUST_CHECK int libraries_read(const struct tracer *tracer,
			      struct trace_library list[static TRACE_LIBRARIES]);

/* Is it this file, with the same contents? */
bool libraries_is(const struct trace_library *library, const struct stat *st);

/* The entry of this file; NULL: none. */
const struct trace_library *libraries_find(const struct trace_library list[static TRACE_LIBRARIES],
					   const struct stat *st);

/*
 * Attaches to a file. Calls are counted from now on; a process that starts later is counted from
 * its first instruction. -ENOSPC: too many libraries are attached.
 */
MUST_CHECK int libraries_add(struct tracer *tracer,
			     struct trace_library list[static TRACE_LIBRARIES],
			     const struct metal_library *library, int fd, const struct stat *st,
			     const char *path, uint32_t *ret_id);

void libraries_drop(const struct tracer *tracer, struct trace_library *library);

/* Removes the probe that reports the members of meshes, which their views contain too. */
void libraries_drop_members(const struct tracer *tracer, struct trace_library *library);

/* Updates its path, for messages. */
void libraries_set_path(const struct tracer *tracer, struct trace_library *library,
			const char *path);

/* The mtime of a file, in ns since 1970. */
int64_t libraries_changed(const struct stat *st);

/* Sets the time since which launches are counted, in ns since boot; 0: they are not. */
MUST_CHECK int libraries_set_followed(const struct tracer *tracer, struct trace_library *library,
				      uint64_t since);
