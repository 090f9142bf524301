#include "source/dispatch_device.h"

#include <string.h>

/* The same rules as in source/roles.h, which runs later; reports of memory are complete by now. */
static bool is_job(const struct sample *sample, const struct process *process)
{
	struct role_evidence evidence = process->evidence.role;

	evidence.start_ticks = process->start_ticks;
	for (size_t i = 0; i < sample->n_reports && !evidence.reports; i++)
		evidence.reports = sample->reports[i].pid == process->pid;
	return role_judge(&evidence) == ROLE_JOB;
}

static const struct dispatch_line *find_device_line(const struct dispatch_text *text,
						    const struct device *dev)
{
	for (size_t i = 0; i < text->count && text->lines[i].pid == 0; i++)
		if (text->lines[i].device == dev->index)
			return &text->lines[i];
	return NULL;
}

/* The jobs on a device. */
struct device_jobs {
	struct utilization_union all;
	unsigned count;
	enum reason untraced; /* why one of them has no line; KNOWN if all have one */
	struct program_users users;
};

static void add_job(struct device_jobs *jobs, const struct utilization_figure *figure)
{
	enum reason why = figure->why[UTIL_SHARE];

	jobs->count++;
	utilization_union_add(&jobs->all, figure);
	if (why == NOT_TRACED || why == STALE)
		jobs->untraced = why;
}

static void add_unseen(struct device_jobs *jobs, enum reason why)
{
	const struct utilization_figure unknown = utilization_unknown(why);

	add_job(jobs, &unknown);
	jobs->untraced = why;
}

static void find_jobs(struct device_jobs *ret, const struct sample *sample,
		      const struct dispatch_text *text, size_t device)
{
	const struct device *dev = &sample->snapshot->devices[device];

	*ret = (struct device_jobs){ .untraced = KNOWN };
	for (size_t i = 0; i < sample->snapshot->n_processes; i++) {
		const struct process *process = &sample->snapshot->processes[i];
		const struct usage *usage = process_find_usage(process, device);
		struct utilization_figure figure;

		if (!usage || !is_job(sample, process))
			continue;
		figure = usage_utilization(usage);
		add_job(ret, &figure);
		program_users_add(&ret->users, &text->tables, sample->snapshot, process, device);
	}
	if (!dev->holders_known)
		add_unseen(ret, dev->holders_why);
	else if (dev->unseen_holders)
		add_unseen(ret, device_unseen_reason(dev));
}

/*
 * The line of a device has no name of an operation; the lines of its processes have, for users that
 * may see it.
 */
static void add_operation(struct utilization_figure *figure, const struct device_jobs *jobs)
{
	struct utilization_figure all = utilization_union_get(&jobs->all);

	if (figure->why[UTIL_OPERATION] == KNOWN || all.why[UTIL_OPERATION] != KNOWN)
		return;
	memcpy(figure->value.operation, all.value.operation, sizeof(all.value.operation));
	figure->why[UTIL_OPERATION] = KNOWN;
}

static struct utilization_figure device_line_figure(const struct sample *sample,
						    const struct dispatch_text *text,
						    const struct dispatch_line *line,
						    const struct device *dev,
						    const struct device_jobs *jobs)
{
	struct utilization_figure figure = dispatch_line_figure(sample->root, text, line, dev);

	if (jobs->count)
		add_operation(&figure, jobs);
	if (jobs->untraced != KNOWN)
		utilization_add_unknown(&figure, jobs->untraced);
	return figure;
}

static struct utilization_figure device_figure(const struct sample *sample,
					       const struct dispatch_text *text, size_t device)
{
	const struct device *dev = &sample->snapshot->devices[device];
	const struct dispatch_line *line = find_device_line(text, dev);
	struct utilization_figure figure, joined;
	struct dispatch_line own;
	struct device_jobs jobs;

	find_jobs(&jobs, sample, text, device);
	if (line && dispatch_line_reason(sample->root, text, line, dev) == KNOWN)
		figure = device_line_figure(sample, text, line, dev, &jobs);
	else if (jobs.count)
		figure = utilization_union_get(&jobs.all);
	else
		return text->is_watched ? utilization_idle() : utilization_unknown(NOT_TRACED);
	if (!program_users_join(&jobs.users, &own))
		return figure;
	joined = device_line_figure(sample, &(struct dispatch_text){ 0 }, &own, dev, &jobs);
	return utilization_is_better(&joined, &figure) ? joined : figure;
}

void dispatch_fill_devices(struct sample *sample, const struct dispatch_text *text)
{
	for (size_t i = 0; i < sample->snapshot->n_devices; i++) {
		struct device *dev = &sample->snapshot->devices[i];
		enum reason absence = dev->remote ? NO_PCIE : device_absence(dev);
		struct utilization_figure figure =
			utilization_unknown(absence == KNOWN ? NOT_TRACED : absence);

		if (absence == KNOWN && text->is_measured)
			figure = device_figure(sample, text, i);
		device_set_utilization(dev, &figure);
	}
}
