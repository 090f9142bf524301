/*
 * Names of monitors that this machine's administrator adds to the built-in ones, in /etc/tt-
 * smi/monitors. The file is used only if root alone may write it, otherwise a user could declare a
 * job to be a monitor. It is read as a job, again after each change.
 */
#pragma once

#include "basic/buf.h"
#include "basic/worker_pool.h"
#include "basic/root.h"
#include "model/role.h"

#include <stdint.h>
#include <sys/stat.h>

#define MONITORS_PATH "etc/tt-smi/monitors"

struct monitors {
	const struct root *root;
	struct monitor_names names; /* as last read */
	struct buf problem;	    /* with the file; empty: none */

	struct job job;
	int64_t asked_ns; /* CLOCK_MONOTONIC; 0: never */
	/* Owned by the job: */
	struct stat seen; /* all zero: there was no file */
	bool changed;	  /* the members below are new */
	struct monitor_names read_names;
	struct buf read_problem;
};

void monitors_init(struct monitors *monitors, const struct root *root);

/* The job that reads the file. NULL: not needed, or an earlier one still hangs. */
struct job *monitors_job(struct monitors *monitors, struct worker_pool *workers);

/* To be called after the job: takes its result. True: the names have changed. */
bool monitors_take(struct monitors *monitors, struct worker_pool *workers);

/* Frees all of it, unless its job hangs. False: then the struct must not be freed, either. */
bool monitors_done(struct monitors *monitors, struct worker_pool *workers);
