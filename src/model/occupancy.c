#include "model/occupancy.h"

void occupancy_wants(struct want *want)
{
	want_add_list(want,
		      FIELDS(PROCESS_FIELD(PID), PROCESS_FIELD(HOLDING), PROCESS_FIELD(ROLE)));
	want->processes = true;
}

/* A process that only reports memory for the device does not have it open. */
static bool is_job_on(const struct process *process, size_t device)
{
	const struct usage *usage = process_find_usage(process, device);

	return usage && !usage->stale && process->role == ROLE_JOB &&
	       !(process_knows(process, PROC_HOLDING) && process->holding == HOLDING_COUNTERS);
}

enum occupancy occupancy_of(const struct snapshot *snapshot, size_t device,
			    const struct process **ret_job)
{
	const struct device *dev = &snapshot->devices[device];
	const struct process *job = NULL;

	for (size_t i = 0; i < snapshot->n_processes && !job; i++)
		if (is_job_on(&snapshot->processes[i], device))
			job = &snapshot->processes[i];
	if (ret_job)
		*ret_job = job;
	if (job)
		return OCCUPANCY_JOB;
	if (dev->unseen_holders)
		return OCCUPANCY_UNSEEN;
	return dev->holders_known ? OCCUPANCY_FREE : OCCUPANCY_UNKNOWN;
}

bool occupancy_is_unused_claim(const struct snapshot *snapshot, size_t device, bool *ret)
{
	enum occupancy occupancy = occupancy_of(snapshot, device, NULL);

	if (!device_knows(&snapshot->devices[device], DEV_CLAIM) || occupancy == OCCUPANCY_UNKNOWN)
		return false;
	*ret = occupancy == OCCUPANCY_FREE;
	return true;
}
