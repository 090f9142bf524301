/*
 * A workload as a process.
 *
 * tt_smi sim executes itself with the workload's name and arguments, so that /proc looks as for the
 * real program. The job is received through a socket whose number is in WORKER_VARIABLE; one byte
 * is sent back when the devices are open and the memory is published. A job that runs programs is
 * started with `tt_smi run`, sends another byte when figures about them can be had, and then
 * receives which chips do nothing, as a mask, whenever these change.
 */
#pragma once

#include "worker_job.h"

#include <stdint.h>

#define WORKER_VARIABLE "TT_SMI_SIM_WORKER"

/* Set for the program that `tt_smi run` executes, which executes the worker as argv[1]. */
#define WORKER_START_VARIABLE "TT_SMI_SIM_WORKER_START"

/* The path of this program, for executing it again. */
const char *worker_path(char *path, size_t size);

/* The amounts that the job holds on each device after the given milliseconds. */
void worker_amounts(const struct worker_job *job, int64_t ms, uint64_t ret[static POOLS]);

/* Executes this program again, as the worker. Returns the exit status of a failure. */
int worker_start(char **argv);

/* Runs a job. Returns the exit status. */
int worker_main(const char *socket_number);
