/*
 * Reads the live buffers of one process from its memory, as a job of the worker pool: see
 * trace/readback.h.
 */
#pragma once

#include "trace/tracer.h"

#include "basic/worker_pool.h"

/* An allocator to read. */
struct known_allocator {
	struct trace_key key;
	struct trace_allocator allocator;
	struct trace_library library;
};

struct process_readback {
	struct job job;
	struct process_readback *next;
	const struct tracer *tracer;
	uint32_t tgid;
	uint64_t start;
	uint64_t swept; /* tombstones of the process that were removed before this */
	int64_t until;	/* ns; its time limit */
	bool gave_up;	/* it exceeded its time limit */
	struct known_allocator *allocators;
	size_t n_allocators;
};

/*
 * NULL if the process cannot be read: out of memory, it is exiting, or it was forked without
 * execve(). The objects of a forked process are copies of its parent's, and cannot be distinguished
 * from its own.
 */
struct process_readback *process_readback_new(const struct tracer *tracer, uint32_t tgid);

/* Takes NULL, returns NULL. Its job must not be busy. */
struct process_readback *process_readback_free(struct process_readback *process);

/* Adds an allocator to read, before it has started. */
MUST_CHECK int process_readback_add(struct process_readback *process,
				    const struct known_allocator *known);

/* Its job; the time limit starts now. */
struct job *process_readback_start(struct process_readback *process);
bool process_readback_has_begun(const struct process_readback *process);
