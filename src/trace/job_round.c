#include "trace/job_round.h"

#include "basic/array.h"

#include <errno.h>

void job_round_done(struct job_round *round)
{
	free(round->jobs);
}

int job_round_add(struct job_round *round, struct job *job)
{
	struct job **jobs =
		array_grow(round->jobs, round->count, &round->room, sizeof(struct job *));

	if (!jobs)
		return -ENOMEM;
	round->jobs = jobs;
	jobs[round->count++] = job;
	return 0;
}

void job_round_clear(struct job_round *round)
{
	round->count = 0;
}

void job_round_run(struct job_round *round)
{
	(void)worker_pool_run(round->workers, round->jobs, round->count, round->deadline);
	round->count = 0;
}
