/*
 * CPU clocks of processes. One that has not advanced shows that the process has not run since: it
 * has neither used CPU time nor opened or closed a file. Reading a clock is cheaper than reading
 * any file of the process, and never blocks. Each is read once per sample.
 *
 * Used by the sampling thread only.
 */
#pragma once

#include "basic/hash_table.h"
#include "basic/root.h"

#include <stdint.h>

struct process_clocks {
	const struct root *root;
	enum { CLOCKS_UNTRIED, CLOCKS_USABLE, CLOCKS_UNUSABLE } state;
	struct hash_table read; /* in this sample, by pid */
};

/* A new sample begins. */
void process_clocks_begin(struct process_clocks *clocks);

/*
 * The CPU time of the process in nanoseconds, with all its threads; -1: unknown. To be compared
 * only with earlier values of a process that still has this pid: a descriptor that the caller keeps
 * in its /proc/PID shows that, by failing otherwise.
 */
int64_t process_clocks_read(struct process_clocks *clocks, int32_t pid);

void process_clocks_done(struct process_clocks *clocks);
