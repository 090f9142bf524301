/*
 * The BPF object: loaded once, pinned, and taken over by each later tracer. The pinned programs
 * keep counting whether a tracer runs or not.
 *
 * The pins of another build are not compatible: they are removed, and the counts start again. The
 * version is a hash of the object.
 */
#pragma once

#include "trace/state.h"

#include "basic/buf.h"

enum tracer_map {
	MAP_PROCESSES,
	MAP_LIVE,
	MAP_THREADS,
	MAP_ALLOCATORS,
	MAP_VIEW_PLACES,
	MAP_LIBRARIES,
	MAP_DEVICES,
	MAP_DEATHS,
	MAP_ROLES,
	MAP_PROGRAMS,
	MAP_PROGRAM_USERS,
	MAP_QUEUES,
	MAP_OPERATIONS,
	MAP_LINES,
	MAP_RECORDS,
	MAP_STATE,
	TRACER_MAPS,
};

enum tracer_program {
	TRACER_HOOK,
	TRACER_PROGRAM_HOOK,
	TRACER_ENTER,
	TRACER_LEAVE,
	TRACER_ADOPT,
	TRACER_SETTLE,
	TRACER_PROGRAMS,
};

struct tracer {
	int maps[TRACER_MAPS];
	int programs[TRACER_PROGRAMS];
	struct trace_state state;
};

struct tracer_options {
	uint32_t max_buffers; /* live ones, of all processes; 0: the default */
	bool no_multi;	      /* a link per probe, as on kernels before 6.6 */
	bool keep;	      /* do not replace pins of another version */
	bool verbose;	      /* print libbpf's messages on stderr */
};

/*
 * Takes over what is pinned, or loads and pins it. On failure problem has the reason, in one line.
 * -EPERM: no permission; -ENOTSUP: not supported by this kernel; -EBUSY: keep forbids it.
 */
MUST_CHECK int tracer_open(struct tracer *ret, const struct tracer_options *options,
			   struct buf *problem);
void tracer_close(struct tracer *tracer);

/* The size of the loaded map of live buffers. */
MUST_CHECK int tracer_max_buffers(const struct tracer *tracer, uint32_t *ret);

/* The next process of MAP_PROCESSES; *tgid is 0 at the start. False: there is none. */
bool tracer_next_process(const struct tracer *tracer, uint32_t *tgid);

/* Maximum arguments of a program. */
#define TRACER_ARGUMENTS 10

/*
 * Runs a program with count arguments; the others are 0. Returns its return value, or -errno.
 */
MUST_CHECK int tracer_run(const struct tracer *tracer, enum tracer_program program,
			  const uint64_t *arguments, unsigned count);
