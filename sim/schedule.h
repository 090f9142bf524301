/*
 * When the programs of a workload run on a chip: pure functions, in ns since the workload's start.
 *
 * Each period has an idle part and then a program, so that the share of time with a program, from
 * the start to the end of any program, is that of the workload.
 */
#pragma once

#include "workload.h"

#include <stdint.h>

struct schedule {
	double period, busy; /* ns: from program to program, and of each program */
	uint64_t count;	     /* of programs that are launched; UINT64_MAX: no end */
	uint64_t hung;	     /* the one that does not end; UINT64_MAX: none */
	uint64_t group;	     /* launched programs that count as one here */
};

/*
 * waits: the process launches programs in groups, a few times a second, and waits for each group
 * before it launches the next.
 */
void schedule_init(struct schedule *ret, const struct workload *w, bool waits);

int64_t schedule_start(const struct schedule *schedule, uint64_t index);
int64_t schedule_end(const struct schedule *schedule, uint64_t index);

/* The part of a time for which the chip works: less if a program hangs before it. */
int64_t schedule_progress(const struct schedule *schedule, int64_t ns);
