/*
 * Entry probes on one file: with one link for all of them where the kernel has that (6.6), else
 * with a perf event and a link each (5.15). Never a return probe: a C++ exception that unwinds
 * through one terminates the program.
 */
#pragma once

#include "trace/tracer.h"

#include "metal/library.h"

/* Attaches to all hooks that are used, and pins the links; fd is the file. All or none. */
MUST_CHECK int attach_library(const struct tracer *tracer, uint32_t id,
			      const struct metal_library *library, int fd);

/* Removes the probes of a library, also after an attach that failed halfway. */
void attach_remove(uint32_t id);

/* The number of probes that attach_library() attaches. */
unsigned attach_count(const struct metal_library *library);
