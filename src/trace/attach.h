/*
 * Entry probes on one file: with one link for all of them where the kernel can (6.6),
 * else a perf event and a link each (5.15). Never a return probe: an exception of C++
 * that passes one ends the program.
 */
#pragma once

#include "trace/tracer.h"

#include "metal/library.h"

/* BPF_TRACE_UPROBE_MULTI, which the headers of older libbpfs lack. */
#define ATTACH_TYPE_MULTI ((enum bpf_attach_type)48)

/* Does this kernel attach many probes with one link? */
bool attach_can_multi(void);

/* Probes for all hooks that are of use, pinned; fd is the file. All or none. */
MUST_CHECK int attach_library(const struct tracer *tracer, uint32_t id,
			      const struct metal_library *library, int fd);

/* Also of an attach that was broken off. */
void attach_remove(uint32_t id);

/* How many it would be. */
unsigned attach_count(const struct metal_library *library);
