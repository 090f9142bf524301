/*
 * Devices that several processes use at the same time: the union of the times in which a program of
 * one of them ran, as a line of its own in /run/tt-smi/bpf/dispatch.
 *
 * TT_VISIBLE_DEVICES determines which device the chip number of a process refers to. The sources of
 * tt_smi evaluate it; they are read only while more than one process runs programs.
 */
#pragma once

#include "trace/program_process.h"
#include "trace/tracer.h"

#include "source/sampler.h"

struct program_union {
	struct root root;
	struct sampler *sampler;   /* NULL: not needed so far */
	struct snapshot *snapshot; /* processes and their devices; NULL: not needed now */
	bool has_line[TRACE_DEVICES];
};

void program_union_done(struct program_union *all);

/* To be called after a scan: reads the processes and their devices. */
MUST_CHECK int program_union_update(struct program_union *all,
				    const struct program_process *processes);

/* To be called when the figures of the processes have been computed. */
void program_union_publish(struct program_union *all, const struct tracer *tracer,
			   const struct program_process *processes, struct worker_pool *workers,
			   int64_t now);
