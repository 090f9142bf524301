/*
 * A workload as a process.
 *
 * tt_smi sim starts itself again under the workload's own name and arguments, so
 * that /proc shows what it would show of the real program. What to do comes
 * over a socket whose number is in WORKER_VARIABLE; one byte goes back when the
 * devices are open and the memory is published.
 */
#pragma once

#include "basic/macros.h"
#include "board.h"
#include "workload.h"

#include <stdint.h>

#define WORKER_VARIABLE "TT_SMI_SIM_WORKER"

struct worker_device {
	unsigned number;
	unsigned logical;
	uint64_t asic_id;
	uint64_t umd_id;    /* in the names of TT-Metal's files */
	bool has_behind;    /* a chip without PCIe, reached through this one */
	uint64_t behind_id; /* UMD's id of that */
	unsigned behind_logical;
	enum sim_arch arch;
	unsigned cores;
};

/* Crosses an exec of the same program: plain bytes. */
struct worker_job {
	char root[1024]; /* DIR */
	struct workload workload;
	struct worker_device devices[MAX_DEVICES];
	size_t device_count;
	uint64_t leak_room; /* a leak that has filled this starts again */
};

/* What the job holds after so many milliseconds, on each device. */
void worker_amounts(const struct worker_job *job, int64_t ms, uint64_t ret[static POOLS]);

/* Runs a job to its end; the exit status. */
int worker_main(const char *socket_number);
