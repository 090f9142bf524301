/*
 * Compute utilisation: samples the rings of all processes that have them, four times a second, and
 * publishes a line per process and chip in the file /run/tt-smi/bpf/dispatch.
 *
 * Nothing is sampled while no process with a profiler holds a device, unless launches are followed.
 */
#pragma once

#include "trace/device_holder.h"
#include "trace/program_links.h"
#include "trace/program_process.h"
#include "trace/program_union.h"

#define PROGRAM_SAMPLE_EVERY (250 * 1000000LL)

struct program_sampler {
	const struct tracer *tracer;
	struct program_links links;
	struct job_round round;		   /* shares the worker pool of the scan */
	struct program_process *processes; /* the oldest first: places are given in this order */
	struct program_share *shares;	   /* of their users */
	struct program_union shared;	   /* devices that several of them use */
	struct ring_buffer *records;
};

/* Removes what an earlier tracer has published. */
MUST_CHECK int program_sampler_init(struct program_sampler *sampler, const struct tracer *tracer,
				    struct worker_pool *workers, struct program_follow follow);

/* None of its jobs may be busy. */
void program_sampler_done(struct program_sampler *sampler);

/* After a scan: which processes hold devices, and which libraries they map. */
MUST_CHECK int program_sampler_update(struct program_sampler *sampler,
				      const struct trace_library list[static TRACE_LIBRARIES],
				      const struct device_holder *holders, size_t count);

/* Is there a process to sample between scans? */
bool program_sampler_is_active(const struct program_sampler *sampler);

MUST_CHECK int program_sampler_run(struct program_sampler *sampler);
