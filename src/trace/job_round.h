/*
 * A round of jobs: they are collected, then run together by the worker pool. A job that takes
 * longer than the deadline keeps running and is left out of later rounds until it ends.
 */
#pragma once

#include "basic/worker_pool.h"

struct job_round {
	struct worker_pool *workers;
	int64_t deadline; /* for each job, ns */
	struct job **jobs;
	size_t count, room;
};

void job_round_done(struct job_round *round);

/* Adds a job to the next round. */
MUST_CHECK int job_round_add(struct job_round *round, struct job *job);

/* Drops the jobs that were added, without running them. */
void job_round_clear(struct job_round *round);

void job_round_run(struct job_round *round);
