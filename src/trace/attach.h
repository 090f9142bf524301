/*
 * Entry uprobes on one library file. Kernel 6.6 and later has multi-uprobe links: two links have
 * all probes. Older kernels (5.15) need a perf event and a link per probe. Return probes are never
 * used: a C++ exception that unwinds through one terminates the program.
 */
#pragma once

#include "trace/tracer.h"

#include "metal/library.h"

/*
 * Attaches probes to all hooks that the library has, and pins the links; fd is its file. On failure
 * nothing stays attached.
 */
MUST_CHECK int attach_library(const struct tracer *tracer, uint32_t id,
			      const struct metal_library *library, int fd);

/* Removes the probes of a library, also after a partly failed attach. */
void attach_remove(uint32_t id);

/* Removes the probe of METAL_CREATE_AT alone. */
void attach_remove_members(uint32_t id);

/* The number of probes that attach_library() attaches. */
unsigned attach_count(const struct metal_library *library);

/* Identifies hook number `hook` of a library to the BPF program. */
uint64_t attach_cookie(uint32_t id, unsigned hook);

/* Maximum number of probes of one call. */
enum { ATTACH_MAX = 32 };

struct trace_probe {
	uint64_t offset; /* in the file */
	uint64_t cookie;
};

/*
 * Attaches a BPF program to places of a file, without pins: the probes last as long as the links
 * are open. *links[i] is set for each probe, or only *links[0] if one link has all of them. On
 * failure some may be set.
 */
MUST_CHECK int attach_probes(const struct tracer *tracer, enum tracer_program program, int fd,
			     const struct trace_probe *probes, unsigned count, int *const *links);
