/* The processes of the workloads: start, end, and their entries in the driver's lists. */
#pragma once

#include "basic/macros.h"
#include "machine.h"

#include <stdbool.h>
#include <sys/types.h>

struct job_process {
	pid_t pid;	      /* 0: not running */
	uint64_t start_ticks; /* field 22 of its /proc/PID/stat */
	int64_t started_ms;
	int64_t restart_ms; /* time of the next start; 0: never */
	int socket;	    /* to the process, see worker.h */
	bool is_measured;   /* it runs programs */
};

struct jobs {
	struct machine *machine;
	const char *root;
	struct job_process process[MAX_WORKLOADS];
	uint64_t stopped; /* mask of chips that run no program */
};

/* Starts them one by one. -errno after an error on stderr. */
MUST_CHECK int jobs_start(struct jobs *jobs);

/* Restarts and kills those that are due. */
void jobs_tick(struct jobs *jobs);

/* A child has ended: returns whether it was one of these. */
bool jobs_reap(struct jobs *jobs, pid_t pid);

/* Ends all of them, gracefully first. */
void jobs_stop(struct jobs *jobs);
