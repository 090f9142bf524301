/*
 * A workload as a process.
 *
 * tt_smi sim executes itself with the workload's name and arguments, so that /proc looks as for the
 * real program. The job is received through a socket whose number is in WORKER_VARIABLE; one byte
 * is sent back when the devices are open and the memory is published.
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

/* Passed to another process of the same program as plain bytes. */
struct worker_job {
	char root[1024]; /* DIR */
	struct workload workload;
	struct worker_device devices[MAX_DEVICES];
	size_t device_count;
	uint64_t leak_room; /* a leak restarts when it has reached this */
};

/* The amounts that the job holds on each device after the given milliseconds. */
void worker_amounts(const struct worker_job *job, int64_t ms, uint64_t ret[static POOLS]);

/* Runs a job. Returns the exit status. */
int worker_main(const char *socket_number);
