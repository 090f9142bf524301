/* Examines whether devices are free for the next job. */
#include "doctor/doctor.h"

#include "render/render.h"

#include <stdio.h>

/* Monitors keep devices open for a long time without causing traffic. */
bool device_is_idle(const struct snapshot *snapshot, const struct device *dev)
{
	size_t at = (size_t)(dev - snapshot->devices);

	if (!dev->holders_known || dev->unseen_holders)
		return false;
	for (size_t i = 0; i < snapshot->n_processes; i++)
		if (snapshot->processes[i].role != ROLE_MONITOR &&
		    process_find_usage(&snapshot->processes[i], at))
			return false;
	return true;
}

/* Returns how many jobs, and processes that may be jobs, have it open. */
static size_t report_holders(const struct snapshot *snapshot, const struct device *dev,
			     struct report *report)
{
	size_t at = (size_t)(dev - snapshot->devices), count = dev->unseen_holders;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		char label[80];

		if (process->role == ROLE_MONITOR || !process_find_usage(process, at))
			continue;
		count++;
		process_label(process, label, sizeof(label));
		report_add(report, LEVEL_FAIL, "%s: in use by process %d (%s)", dev->id,
			   process->pid, label);
		report_fix(report, "wait until it ends, or stop it: kill %d", process->pid);
	}
	if (dev->unseen_holders)
		report_add(report, LEVEL_FAIL, "%s: in use by a process that is not visible here",
			   dev->id);
	return count;
}

void examine_idle(const struct doctor_context *context, struct report *report)
{
	const struct snapshot *snapshot = context->snapshot;
	unsigned idle = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (!device_is_served(dev))
			continue;
		report->device = dev->id;
		if (device_is_idle(snapshot, dev))
			idle++;
		else if (!report_holders(snapshot, dev, report))
			report_add_unexamined(report, "%s: unknown whether a job uses it: %s",
					      dev->id, reason_text(dev->holders_why));
	}
	report->device = NULL;
	if (idle)
		report_add(report, LEVEL_OK, "%u device%s that no job uses", idle,
			   idle == 1 ? "" : "s");
}
