/*
 * The tracer's pinned files `allocations` and `holders`, as the kernel would write them. They exist
 * if at least one workload is traced. The first has the memory of traced workloads, the second the
 * open descriptors of all workloads.
 */
#pragma once

#include "basic/buf.h"
#include "machine.h"
#include "worker.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A running workload. */
struct traced_process {
	pid_t pid;
	uint64_t start_ticks;
	int64_t age_ms; /* determines what it has allocated */
	const struct worker_job *job;
};

/* Its comm without bytes that would end a column. */
void traced_comm(const struct workload *w, char comm[static 16]);

/* Replaces a file below run/tt-smi, so that readers see a complete text. */
void traced_put(struct tree *root, const char *name, const struct buf *text);

bool traced_is_on(const struct machine *m);

/* Writes both files: begin, add each process, end. */
struct traced_files {
	struct buf allocations, holders;
	uint64_t sums[6];
};

void traced_begin(struct traced_files *files);
void traced_add(struct traced_files *files, const struct traced_process *process);
void traced_end(struct traced_files *files, struct tree *root);
