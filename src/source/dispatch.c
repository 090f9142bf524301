/*
 * Compute utilisation as the tracer measures it, read from the file that it pins, and as programs
 * under `tt_smi run` measure it themselves. No server and no privileges are needed.
 *
 * A line is for a process and a chip, for all other chips of a process, or for a device. The figure
 * of a device is that of its own line, if it has one, else what follows from those of its
 * processes. It is exact only if every job on the device is measured.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "proto/dispatch.h"
#include "source/bpf_text.h"
#include "source/identity.h"
#include "source/program_tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t fresh_ns = 2 * UINT64_C(1000000000);

struct dispatch_source {
	struct bpf_text file;
};

/* The lines of one reading. */
struct dispatch_text {
	struct dispatch_line *lines;
	size_t count;
	bool is_watched;  /* a process keeps them up to date */
	bool is_measured; /* there is a tracer, or a process that measures itself */
	uint64_t now;	  /* CLOCK_MONOTONIC, after they were read; 0: their age is not known */
	struct program_tables tables; /* of processes that measure themselves */
};

/* ---- one line ---- */

static bool has_iommu(const struct root *root, const struct device *dev)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/iommu_group", dev->bdf);
	return root_access(root, path, F_OK) == 0;
}

/* Why TT-Metal's profiler does not cover a chip, as far as this can be told from outside. */
static enum reason not_covered_reason(const struct root *root, const struct device *dev)
{
	if (dev->arch == ARCH_WORMHOLE && dev->type && dev->type->chips == 2)
		return ETHERNET_DISPATCH;
	if (dev->arch == ARCH_BLACKHOLE && !has_iommu(root, dev))
		return NO_IOMMU;
	return UNMEASURED_NOT_COVERED;
}

static enum reason line_reason(const struct root *root, const struct dispatch_text *text,
			       const struct dispatch_line *line, const struct device *dev)
{
	if (text->now && (line->updated > text->now || text->now - line->updated > fresh_ns))
		return STALE;
	if (line->has_figure)
		return KNOWN;
	if (dev->remote)
		return NO_PCIE;
	if (line->state == DISPATCH_NOT_COVERED)
		return not_covered_reason(root, dev);
	/* It was found, and its first figure follows. */
	if (line->state == DISPATCH_OK)
		return UNMEASURED_NO_RECORDS;
	return reason_of_dispatch_state(line->state);
}

static double seconds(uint64_t ns)
{
	return (double)ns / NS_PER_S;
}

static struct utilization_figure line_figure(const struct root *root,
					     const struct dispatch_text *text,
					     const struct dispatch_line *line,
					     const struct device *dev)
{
	enum reason why = line_reason(root, text, line, dev);
	struct utilization_figure figure = utilization_unknown(why);

	if (why == STALE)
		return figure;
	if (why == KNOWN) {
		figure.value.share = MIN((double)line->busy / (double)line->window, 1);
		figure.value.bound = line->bound;
		figure.value.programs = (double)line->programs / seconds(line->window);
		/* Of lower bounds, launches may be unknown. */
		figure.why[UTIL_RUNNING] =
			line->bound == BOUND_LOWER ? NOT_REPORTED : NOT_APPLICABLE;
		figure.why[UTIL_LAST_PROGRAM] = figure.why[UTIL_OPERATION] = NOT_REPORTED;
	}
	if (line->has_running) {
		figure.value.running = seconds(line->running);
		figure.why[UTIL_RUNNING] = KNOWN;
	}
	if (line->has_last) {
		figure.value.last_program = seconds(line->last);
		figure.why[UTIL_LAST_PROGRAM] = KNOWN;
	}
	if (line->operation[0]) {
		memcpy(figure.value.operation, line->operation, sizeof(line->operation));
		figure.why[UTIL_OPERATION] = KNOWN;
	}
	return figure;
}

/* ---- processes ---- */

static bool find_node(const struct snapshot *snapshot, uint32_t number, size_t *ret)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		if (!device_has_node(&snapshot->devices[i]) || snapshot->devices[i].index != number)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

static struct usage *find_usage(const struct snapshot *snapshot, const struct process *process,
				const struct dispatch_line *line)
{
	size_t device;
	bool found = line->has_device ? find_node(snapshot, line->device, &device)
				      : identity_logical(snapshot, process, line->chip, &device);

	return found ? process_find_usage(process, device) : NULL;
}

/* A chip that cannot be identified may be any of those without a line. */
static void blame_rest(struct process *process, const bool *has_line)
{
	const struct utilization_figure unknown =
		utilization_unknown(process->visible_why ? process->visible_why : UNMATCHED_CHIP);

	for (size_t i = 0; i < process->n_usages; i++)
		if (!has_line[i])
			usage_offer_utilization(&process->usages[i], &unknown);
}

/* The line for all chips applies to those without one of their own. */
static void take_all_chips(struct sample *sample, const struct dispatch_text *text,
			   const struct dispatch_line *line, struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++) {
		struct usage *usage = &process->usages[i];
		struct utilization_figure figure = line_figure(
			sample->root, text, line, &sample->snapshot->devices[usage->device]);

		usage_offer_utilization(usage, &figure);
	}
}

static int take_chips(struct sample *sample, const struct dispatch_text *text,
		      const struct dispatch_line *lines, size_t count, struct process *process)
{
	CLEANUP_FREE bool *has_line = calloc(process->n_usages, sizeof(*has_line));
	bool all = true;

	if (!has_line)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct usage *usage;
		struct utilization_figure figure;

		if (!lines[i].has_chip)
			continue;
		usage = find_usage(sample->snapshot, process, &lines[i]);
		if (!usage) {
			all = false;
			continue;
		}
		figure = line_figure(sample->root, text, &lines[i],
				     &sample->snapshot->devices[usage->device]);
		usage_offer_utilization(usage, &figure);
		has_line[usage - process->usages] = true;
	}
	if (!all)
		blame_rest(process, has_line);
	return 0;
}

static int take_process(struct sample *sample, const struct dispatch_text *text,
			const struct dispatch_line *lines, size_t count)
{
	struct process *process = snapshot_find_process(sample->snapshot, lines[0].pid);

	if (!process || process->n_usages == 0 ||
	    (process->start_ticks && process->start_ticks != lines[0].start_ticks))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!lines[i].has_chip)
			take_all_chips(sample, text, &lines[i], process);
	return take_chips(sample, text, lines, count, process);
}

/* Lines of devices first; those of one process are adjacent. */
static int by_process(const void *a, const void *b)
{
	const struct dispatch_line *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->start_ticks > y->start_ticks) - (x->start_ticks < y->start_ticks);
}

static int take_processes(struct sample *sample, const struct dispatch_text *text)
{
	size_t n;
	int r = 0;

	for (size_t i = 0; i < text->count && r >= 0; i += n) {
		const struct dispatch_line *lines = text->lines + i;

		for (n = 1; i + n < text->count && by_process(lines, lines + n) == 0; n++)
			;
		if (lines[0].pid)
			r = take_process(sample, text, lines, n);
	}
	return r;
}

/* ---- devices ---- */

/* By the same rules as later for all fields; its reports of memory are known by now. */
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

/* The line of a device has no name of an operation; its processes have, for those who may see it.
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
	struct utilization_figure figure = line_figure(sample->root, text, line, dev);

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
	if (line && line_reason(sample->root, text, line, dev) == KNOWN)
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

static void fill_devices(struct sample *sample, const struct dispatch_text *text)
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

/* ---- the file ---- */

static int take_text(struct dispatch_source *dispatch, struct sample *sample, const char *content,
		     struct dispatch_text *ret)
{
	struct dispatch_text text = {
		.is_watched = tracer_is_watching(sample->root),
		.is_measured = true,
	};
	int r = dispatch_parse(content, &text.lines, &text.count);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		bpf_text_report_error(&dispatch->file, sample, r);
		return 0;
	}
	if (text.count)
		qsort(text.lines, text.count, sizeof(*text.lines), by_process);
	text.now = sample->snapshot->recorded ? 0 : (uint64_t)clock_now(CLOCK_MONOTONIC);
	*ret = text;
	return take_processes(sample, &text);
}

static int read_text(struct dispatch_source *dispatch, struct sample *sample,
		     struct dispatch_text *ret)
{
	struct job *job = bpf_text_job(&dispatch->file, sample->workers);
	const char *text;

	if (job)
		worker_pool_run(sample->workers, &job, 1, sample->deadline_ns);
	text = bpf_text_get(&dispatch->file, sample);
	return text ? take_text(dispatch, sample, text, ret) : 0;
}

/* ---- the tables of processes ---- */

static int take_tables(struct sample *sample, struct dispatch_text *text)
{
	int r = 0;

	for (size_t i = 0; i < sample->snapshot->n_processes && r >= 0; i++) {
		const struct process *process = &sample->snapshot->processes[i];
		CLEANUP_FREE struct dispatch_line *lines = NULL;
		const struct dispatch_text none = { 0 };

		if (process->n_usages == 0)
			continue;
		r = program_tables_read(&text->tables, sample, process, &lines);
		if (r <= 0)
			continue;
		text->is_measured = true;
		r = take_process(sample, &none, lines, (size_t)r);
	}
	return r;
}

static int dispatch_sample(void *state, struct sample *sample)
{
	struct dispatch_text text = { 0 };
	int r;

	if (!sample->want->utilization)
		return 0;
	r = read_text(state, sample, &text);
	if (r >= 0)
		r = take_tables(sample, &text);
	if (r >= 0)
		fill_devices(sample, &text);
	free(text.lines);
	program_tables_done(&text.tables);
	return r;
}

static int dispatch_open(const struct root *root, void **ret_state)
{
	struct dispatch_source *dispatch = calloc(1, sizeof(*dispatch));

	if (!dispatch)
		return -ENOMEM;
	bpf_text_init(&dispatch->file, root, DISPATCH_FILE);
	*ret_state = dispatch;
	return 0;
}

static void dispatch_close(void *state, struct worker_pool *workers)
{
	struct dispatch_source *dispatch = state;

	if (job_is_busy(workers, &dispatch->file.job))
		return; /* it belongs to the job */
	bpf_text_done(&dispatch->file, workers);
	free(dispatch);
}

const struct source source_dispatch = {
	.name = "dispatch",
	.help = "compute utilisation, as the tracer or the programs themselves measure it",
	.open = dispatch_open,
	.sample = dispatch_sample,
	.close = dispatch_close,
};
