/* What the process of a workload has to do. */
#pragma once

#include "board.h"
#include "workload.h"

#include <stdint.h>

struct worker_device {
	unsigned number;
	unsigned position; /* in the machine: its bit in masks */
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
	uint64_t stopped;   /* mask of chips that do nothing at the start */
};

/* The process's own number for a device: its index among its devices. */
unsigned worker_chip(const struct worker_job *job, size_t device);
