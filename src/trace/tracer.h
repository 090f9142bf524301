/*
 * The BPF object: loaded once, pinned, and from then on taken over by whoever comes
 * next. The programs that are pinned go on counting whether a tracer runs or not.
 *
 * What another build of the object has pinned is not understood, so it is removed
 * and the count begins anew; the version is a hash of the object.
 */
#pragma once

#include "trace/state.h"

#include "basic/buf.h"

enum tracer_map {
	MAP_PROCESSES,
	MAP_LIVE,
	MAP_THREADS,
	MAP_ALLOCATORS,
	MAP_LIBRARIES,
	MAP_DEVICES,
	MAP_ROLES,
	MAP_STATE,
	TRACER_MAPS,
};

enum tracer_program {
	PROGRAM_HOOK,
	PROGRAM_ENTER,
	PROGRAM_LEAVE,
	PROGRAM_ADOPT,
	PROGRAM_SETTLE,
	TRACER_PROGRAMS,
};

struct tracer {
	int maps[TRACER_MAPS];
	int programs[TRACER_PROGRAMS];
	struct trace_state state;
};

struct tracer_options {
	uint32_t max_buffers; /* live ones, of all processes; 0: as usual */
	bool no_multi;	      /* a link per probe, as on kernels before 6.6 */
	bool keep;	      /* take over, or load where there is nothing: replace nothing */
	bool verbose;	      /* what libbpf says goes to stderr */
};

/*
 * Takes over what is pinned, or loads and pins it. On failure problem says why, in one
 * line. -EPERM: no right to; -ENOTSUP: this kernel cannot do it; -EBUSY: keep.
 */
MUST_CHECK int tracer_open(struct tracer *ret, const struct tracer_options *options,
			   struct buf *problem);
void tracer_close(struct tracer *tracer);

/* How many buffers it keeps at most. */
MUST_CHECK int tracer_max_buffers(const struct tracer *tracer, uint32_t *ret);

/* No program has more. */
#define TRACER_ARGUMENTS 10

/*
 * Runs one of the programs with so many arguments; the others are 0. What it returned, or
 * -errno.
 */
MUST_CHECK int tracer_run(const struct tracer *tracer, enum tracer_program program,
			  const uint64_t *arguments, unsigned count);
