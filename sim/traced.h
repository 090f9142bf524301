/*
 * The two files that the tracer pins, as the kernel would write them: on a machine
 * on which one workload at least is traced, memory of those that are, and the open
 * descriptors of all.
 */
#pragma once

#include "basic/buf.h"
#include "machine.h"
#include "worker.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A workload that runs. */
struct traced_process {
	pid_t pid;
	uint64_t start_ticks;
	int64_t age_ms; /* what it has allocated depends on that */
	const struct worker_job *job;
};

bool traced_is_on(const struct machine *m);

/* Both files at once: begin, add each process, end, which puts them there. */
struct traced_files {
	struct buf allocations, holders;
	uint64_t sums[6];
};

void traced_begin(struct traced_files *files);
void traced_add(struct traced_files *files, const struct traced_process *process);
void traced_end(struct traced_files *files, struct tree *root);
