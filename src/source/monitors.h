/*
 * Names of monitors that this machine's administrator adds to the built-in ones, in
 * /etc/tt-smi/monitors. A file that anybody but root may write is not used: it could make
 * a user's job a monitor. It is read again when it has changed, as a job.
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
	/* The job's. */
	struct stat seen; /* all zero: there was no file */
	bool changed;	  /* what follows is new */
	struct monitor_names read_names;
	struct buf read_problem;
};

void monitors_init(struct monitors *monitors, const struct root *root);

/* The job that reads the file, NULL if there is no need, or if an earlier one still hangs. */
struct job *monitors_job(struct monitors *monitors, struct worker_pool *workers);

/* After the job was run: takes over what it has read. True: the names are others now. */
bool monitors_take(struct monitors *monitors, struct worker_pool *workers);

/* Frees it all, unless its job hangs. False: then the struct must stay too. */
bool monitors_done(struct monitors *monitors, struct worker_pool *workers);
