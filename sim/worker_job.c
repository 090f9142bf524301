#include "worker_job.h"

unsigned worker_chip(const struct worker_job *job, size_t device)
{
	unsigned chip = 0;

	for (size_t i = 0; i < job->device_count; i++)
		chip += job->devices[i].logical < job->devices[device].logical;
	return chip;
}
