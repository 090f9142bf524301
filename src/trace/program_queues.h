/* The command queues of all processes, from the kernel's map to the chips of the processes. */
#pragma once

#include "trace/program_process.h"
#include "trace/tracer.h"

/* Removes those of processes that have exited. */
MUST_CHECK int program_queues_read(const struct tracer *tracer, struct program_process *processes,
				   struct worker_pool *workers);
