/*
 * Examines compute utilisation: is it measured, and if not, why, and how to fix it. Unknown
 * utilisation is no problem of the machine, so every finding is at most a note.
 */
#include "doctor/doctor.h"

#include "proto/dispatch.h"
#include "render/render.h"
#include "source/bpf_text.h"

#include <stdio.h>
#include <string.h>

#define FIX_WATCH    "sudo tt_smi trace start --watch"
#define FIX_PROGRAMS FIX_WATCH " --programs"
#define FOR_BOUND    "for an upper bound: " FIX_PROGRAMS

static const struct {
	enum reason why;
	const char *fix;
	bool is_bound; /* it only leads to an upper bound */
} fixes[] = {
	{ NOT_TRACED, FIX_WATCH },
	{ NOT_TRACED, "the next time: tt_smi run -- COMMAND" },
	{ STALE, "the tracer's process has ended or hangs: " FIX_WATCH },
	{ ETHERNET_DISPATCH, FOR_BOUND, true },
	{ NO_IOMMU, "enable the IOMMU, in the firmware setup and with intel_iommu=on or "
		    "amd_iommu=on on the kernel's command line" },
	{ NO_IOMMU, FOR_BOUND, true },
	{ UNMEASURED_NO_PROFILER, "use TT-Metal v0.71 or later" },
	{ UNMEASURED_NO_PROFILER, FOR_BOUND, true },
	{ UNMEASURED_NOT_COVERED, FOR_BOUND, true },
	{ UNMEASURED_SLOW_DISPATCH, "start it without TT_METAL_SLOW_DISPATCH_MODE" },
	{ UNMEASURED_NOT_FOLLOWED, "wait until it has finished what it launched before" },
	{ UNMEASURED_NOT_FOLLOWED, "restart it: its launches are then followed from the start" },
	{ UNMEASURED_NO_RECORDS, "wait until it runs a program; only numbered programs, as ttnn "
				 "launches them, are measured" },
	{ UNMEASURED_UNKNOWN_LAYOUT, "use a release of TT-Metal that docs/utilisation.md lists" },
	{ UNMEASURED_UNKNOWN_LAYOUT, FOR_BOUND, true },
	{ UNMEASURED_TOO_MANY,
	  "end other processes of its user that have devices open or use TT-Metal" },
	{ UNMEASURED_NO_CLOCK, "wait: TT-Metal compares the clocks when it next synchronises" },
};

static void advise(const struct doctor_context *context, enum reason why, bool has_bound,
		   struct report *report)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixes); i++)
		if (fixes[i].why == why && !(has_bound && fixes[i].is_bound) &&
		    (strcmp(fixes[i].fix, FIX_WATCH) != 0 || context->can_trace))
			report_fix(report, "%s", fixes[i].fix);
}

static void examine_usage(const struct doctor_context *context, const struct process *process,
			  const struct usage *usage, struct report *report)
{
	enum reason why = usage->why[USE_UTILIZATION];
	bool has_bound = why == KNOWN && usage->why[USE_BOUND] == KNOWN &&
			 usage->utilization.bound == BOUND_UPPER;
	char label[80], subject[160];

	if (has_bound)
		why = usage->utilization.unmeasured;
	if (why == KNOWN)
		return;
	process_label(process, label, sizeof(label));
	snprintf(subject, sizeof(subject), "%d %s, device %s", process->pid, label,
		 context->snapshot->devices[usage->device].id);
	report_add_about(report, LEVEL_NOTE, process->pid, subject, "%s: %s",
			 has_bound ? "only an upper bound" : "unknown", reason_text(why));
	advise(context, why, has_bound, report);
}

/* The jobs on a device. Their findings explain a device without a figure. */
struct job_counts {
	size_t all, unmeasured;
};

static struct job_counts count_jobs(const struct snapshot *snapshot, size_t device)
{
	struct job_counts counts = { 0 };

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		const struct usage *usage = process_find_usage(process, device);

		if (!usage || process->role != ROLE_JOB)
			continue;
		counts.all++;
		counts.unmeasured += usage->why[USE_UTILIZATION] != KNOWN;
	}
	return counts;
}

static void examine_bound(const struct doctor_context *context, const char *subject, bool is_lower,
			  bool has_unmeasured, struct report *report)
{
	const char *text = "an upper bound: programs that wait are included";

	if (is_lower)
		text = has_unmeasured ? "a lower bound: a job on it is not measured"
				      : "a lower bound: not every launch is followed, or records "
					"are missing";
	report_add_about(report, LEVEL_NOTE, 0, subject, "%s", text);
	if (is_lower && !has_unmeasured && context->can_trace)
		report_fix(report, "%s, and restart the programs", FIX_PROGRAMS);
}

static void examine_device(const struct doctor_context *context, size_t device,
			   struct report *report)
{
	const struct device *dev = &context->snapshot->devices[device];
	enum reason why = dev->why[DEV_DISPATCH];
	struct job_counts jobs = count_jobs(context->snapshot, device);
	char subject[48];

	snprintf(subject, sizeof(subject), "device %s", dev->id);
	if (why != KNOWN && jobs.all == 0) {
		report_add_about(report, LEVEL_NOTE, 0, subject, "unknown: %s", reason_text(why));
		advise(context, why, false, report);
	} else if (device_knows(dev, DEV_BOUND) && dev->utilization.bound != BOUND_EXACT) {
		examine_bound(context, subject, dev->utilization.bound == BOUND_LOWER,
			      jobs.unmeasured > 0, report);
	}
}

/* Does the tracer measure, or a process itself, or does the server know of one? */
static bool is_measured(const struct doctor_context *context)
{
	const struct snapshot *snapshot = context->snapshot;

	if (root_access(context->root, DISPATCH_FILE, F_OK) == 0)
		return true;
	for (size_t i = 0; i < snapshot->n_processes; i++)
		for (size_t k = 0; k < snapshot->processes[i].n_usages; k++)
			if (snapshot->processes[i].usages[k].why[USE_UTILIZATION] != NOT_TRACED)
				return true;
	return false;
}

void examine_utilization(const struct doctor_context *context, struct report *report)
{
	const struct snapshot *snapshot = context->snapshot;
	size_t before = report->count;

	if (!is_measured(context)) {
		report_add(report, LEVEL_NOTE, "not measured");
		advise(context, NOT_TRACED, false, report);
		if (context->can_trace)
			report_fix(report, "%s, for exact figures", FIX_PROGRAMS);
		return;
	}
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];

		for (size_t k = 0; k < process->n_usages && process->role == ROLE_JOB; k++)
			examine_usage(context, process, &process->usages[k], report);
	}
	for (size_t i = 0; i < snapshot->n_devices; i++)
		examine_device(context, i, report);
	if (report->count == before)
		report_add(report, LEVEL_OK, "measured on every device, exactly");
}
