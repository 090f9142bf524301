/*
 * The file in which the tracer pins compute utilisation, as the kernel would write it, on a
 * --static machine, where no process runs. It exists if a workload has a figure (busy=), with a
 * line per process and chip and one per device on which several processes are measured.
 */
#pragma once

#include "traced.h"

bool dispatch_is_on(const struct machine *m);

/* What runs on a device. */
struct dispatch_device {
	unsigned number;   /* N of tenstorrent!N */
	unsigned measured; /* processes with a figure */
	unsigned lower, upper;
	long long programs;
	double idle; /* share of time without a program of any process */
	double sum;  /* of the shares of all processes */
};

/* Writes it: begin, add each process, end. now is CLOCK_MONOTONIC of the simulated machine. */
struct dispatch_file {
	struct buf text;
	int64_t now_ns;
	struct dispatch_device devices[MAX_DEVICES];
	size_t device_count;
};

void dispatch_begin(struct dispatch_file *file, int64_t now_ns);
void dispatch_add(struct dispatch_file *file, const struct traced_process *process);
void dispatch_end(struct dispatch_file *file, struct tree *root);
