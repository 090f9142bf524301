#include "source/server_reports.h"

#include "basic/clock.h"
#include "basic/macros.h"
#include "basic/text.h"
#include "proto/snapshot_image.h"
#include "source/identity.h"
#include "source/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum tracking trackings[IMAGE_ORIGINS] = {
	[IMAGE_TABLE] = TRACKING_TABLE,
	[IMAGE_LEGACY] = TRACKING_WIRE,
	[IMAGE_TRACED] = TRACKING_TRACED,
	[IMAGE_METAL] = TRACKING_METAL,
};

static enum tracking tracking_of(const struct image_process *from)
{
	return from->flags & IMAGE_PRELOAD ? TRACKING_PRELOAD : trackings[from->origin];
}

/* Did it report to the server itself? */
static bool is_client(const struct image_process *from)
{
	return (from->origin == IMAGE_TABLE || from->origin == IMAGE_LEGACY) &&
	       !(from->flags & IMAGE_PRELOAD);
}

/* Does it count each allocation, rather than only the current state? */
static bool counts_all(const struct image_process *from)
{
	return from->origin == IMAGE_TABLE || from->origin == IMAGE_LEGACY;
}

static void add_pool(struct memory_report *report, const struct image_usage *usage)
{
	report->counts[usage->pool].allocs = usage->allocs;
	report->counts[usage->pool].failures = usage->failures;
	report->frees += usage->frees;
	report->changed_ns = MAX(report->changed_ns, (int64_t)MIN(usage->changed_ns, INT64_MAX));
	report->bytes[usage->pool] = usage->now_bytes;
	report->peak[usage->pool] = usage->peak_bytes;
}

/* The pools of one device, which are adjacent. */
static size_t count_pools(const struct image_usage *usages, size_t count)
{
	size_t n = 1;

	while (n < count && usages[n].device == usages[0].device &&
	       usages[n].known == usages[0].known)
		n++;
	return n;
}

static bool find_device(struct sample *sample, const struct image_process *from,
			const struct image_usage *usage, size_t *ret)
{
	const struct table_device wanted = { usage->known, usage->node, usage->bdf, usage->asic };
	struct snapshot *snapshot = sample->snapshot;
	struct process *process = snapshot_find_process(snapshot, (int32_t)from->pid);

	/* Figures that the server collected itself identify the device, not a logical number. */
	if (counts_all(from) ? identity_reported(snapshot, process, &wanted, usage->device, ret)
			     : identity_find(snapshot, &wanted, ret))
		return true;
	snapshot_add_problem(snapshot, "daemon",
			     "process %u: its device number %u matches no device of this machine",
			     from->pid, usage->device);
	for (size_t i = 0; process && i < process->n_usages; i++)
		usage_set_reason(&process->usages[i], UNMATCHED_CHIP);
	return false;
}

/* A reporting program need not have the device open; the demo does not. */
static int add_process(struct snapshot *snapshot, const struct image_process *from)
{
	struct process *process = snapshot_find_process(snapshot, (int32_t)from->pid);

	if (process)
		return 0;
	process = snapshot_add_process(snapshot, (int32_t)from->pid);
	if (!process)
		return -ENOMEM;
	/* The server's name for it, in case procfs hides it from us. */
	snprintf(process->name, sizeof(process->name), "%s", from->name);
	process->why[PROC_NAME] = (uint8_t)(from->name[0] ? KNOWN : NOT_ASKED);
	process_set_holding(process, HOLDING_COUNTERS);
	return 0;
}

/* A list if the user may see it, or the reason why not. */
static struct allocation_list *begin_list(const struct sample *sample,
					  const struct image_process *from)
{
	struct allocation_list *list = sample_list(sample);

	if (list) {
		list->cut = from->flags & IMAGE_LIST_CUT;
		list->why = from->flags & IMAGE_LIST_HIDDEN ? DENIED : KNOWN;
		if (from->origin == IMAGE_TRACED || from->origin == IMAGE_METAL)
			list->why = NOT_REPORTED;
	}
	return list;
}

/*
 * Allocations identify the device by the logical number of their process: lists has one entry per
 * number, which image_view_init() has checked to be below TABLE_DEVICES.
 */
static void take_allocations(struct sample *sample, const struct image_view *view,
			     const struct image_process *from, struct allocation_list *const *lists)
{
	const struct image_allocation *allocations = view->allocations + from->allocation_first;

	for (uint32_t i = 0; i < from->allocation_count; i++) {
		const struct image_allocation *a = &allocations[i];
		const struct allocation allocation = {
			.id = a->id,
			.size = a->size,
			.time_ns = (int64_t)MIN(a->time_ns, INT64_MAX),
			.pool = (enum pool)a->pool,
		};

		if (lists[a->device] && !sample_list_add(sample, lists[a->device], &allocation))
			lists[a->device]->cut = true;
	}
}

static struct memory_report begin_report(const struct image_process *from)
{
	struct memory_report report = memory_report_make((int32_t)from->pid, tracking_of(from));

	report.start_ticks = from->start_ticks;
	report.connected = is_client(from);
	report.has_peak = report.has_counts = counts_all(from);
	report.has_held = from->origin == IMAGE_TRACED;
	report.low = from->flags & IMAGE_TOTALS_LOW;
	return report;
}

static int take_process(struct sample *sample, const struct image_view *view,
			const struct image_process *from)
{
	const struct image_usage *usages = view->usages + from->usage_first;
	struct allocation_list *lists[TABLE_DEVICES] = { 0 };
	struct memory_report reports[TABLE_DEVICES];
	size_t n = 0, at = 0, first = sample->n_reports, pools;
	bool unplaced = false;
	int r = 0;

	for (; at < from->usage_count && n < TABLE_DEVICES; at += pools) {
		const struct image_usage *usage = &usages[at];
		struct memory_report report = begin_report(from);

		pools = count_pools(usage, from->usage_count - at);
		if (!find_device(sample, from, usage, &report.device)) {
			unplaced = true;
			continue;
		}
		for (size_t i = 0; i < pools; i++)
			add_pool(&report, &usage[i]);
		report.held = memory_report_total(&report).allocs - report.frees;
		report.list = begin_list(sample, from);
		lists[usage->device] = report.list;
		reports[n++] = report;
	}
	take_allocations(sample, view, from, lists);
	if (n)
		r = add_process(sample->snapshot, from);
	/* Also after a failure: sample_report() takes ownership of the list, or frees it. */
	for (size_t i = 0; i < n; i++) {
		int reported;

		/* Some memory is missing, or on an unknown device. */
		reports[i].low |= at < from->usage_count || unplaced;
		reported = sample_report_part(sample, first, &reports[i]);
		r = MIN(r, reported);
	}
	return r;
}

/* All pools of one device: the account of a finished process on it. */
static int take_account(struct sample *sample, const struct image_process *from,
			const struct image_usage *usages, size_t pools)
{
	const struct table_device wanted = { usages->known, usages->node, usages->bdf,
					     usages->asic };
	struct accounted account;

	accounted_init(&account, (int32_t)from->pid);
	account.uid = from->uid;
	snprintf(account.name, sizeof(account.name), "%s", from->name);
	account.start_time = (double)from->start_ns / NS_PER_S;
	account.end_time = (double)from->ended_ns / NS_PER_S;
	account.time = MAX(0, account.end_time - account.start_time);
	account.why[ACCOUNT_UID] = account.why[ACCOUNT_END] = KNOWN;
	if (from->name[0])
		account.why[ACCOUNT_NAME] = KNOWN;
	if (from->start_ns)
		account.why[ACCOUNT_START] = account.why[ACCOUNT_TIME] = KNOWN;
	if (from->flags & IMAGE_EXIT_KNOWN)
		accounted_set_exit(&account, from->exit_status);
	/* A reporter that counts every allocation has no record for a pool that was never used. */
	if (pools && counts_all(from))
		memset(account.why + ACCOUNT_PEAK, KNOWN, POOL_COUNT);
	for (size_t i = 0; i < pools; i++) {
		account.peaks[usages[i].pool] = usages[i].peak_bytes;
		account.why[ACCOUNT_PEAK + usages[i].pool] = KNOWN;
	}
	if (!identity_find(sample->snapshot, &wanted, &account.device))
		account.device = SIZE_MAX;
	return snapshot_add_accounted(sample->snapshot, &account);
}

static int take_finished(struct sample *sample, const struct image_view *view,
			 const struct image_process *from)
{
	const struct image_usage *usages = view->usages + from->usage_first, none = { 0 };
	size_t pools;
	int r = 0;

	if (from->usage_count == 0)
		return take_account(sample, from, &none, 0);
	for (size_t at = 0; at < from->usage_count && r >= 0; at += pools) {
		pools = count_pools(&usages[at], from->usage_count - at);
		r = take_account(sample, from, &usages[at], pools);
	}
	return r;
}

/* The process is traced, but its figures cannot be trusted. */
static void take_trace_fault(struct snapshot *snapshot, const struct image_process *from)
{
	struct process *process = snapshot_find_process(snapshot, (int32_t)from->pid);

	for (size_t i = 0; process && i < process->n_usages; i++)
		usage_set_reason(&process->usages[i], reason_of_trace_fault(from->trace_fault));
}

/* Its role as found by the server, which can inspect every process. */
static void take_role(struct snapshot *snapshot, const struct image_process *from)
{
	struct process *process = snapshot_find_process(snapshot, (int32_t)from->pid);

	if (!process)
		return;
	process->evidence.role.reported =
		from->flags & IMAGE_MONITOR ? ROLE_REPORTED_MONITOR : ROLE_REPORTED_JOB;
	process->evidence.role.reported_start = from->start_ticks;
}

/* When devices last showed work, as far as the server has observed them. */
static void take_devices(struct snapshot *snapshot, const struct image_view *view)
{
	for (uint32_t i = 0; i < view->header->device_count; i++) {
		const struct image_device *from = &view->devices[i];
		const struct table_device wanted = { from->known, from->node, from->bdf,
						     from->asic };
		size_t device;

		if (identity_find(snapshot, &wanted, &device))
			snapshot->devices[device].server_worked_ns =
				(int64_t)MIN(from->worked_ns, INT64_MAX);
	}
}

/* Its Slurm job, from the environment, which other users may not read. */
static int take_job(struct snapshot *snapshot, const struct image_process *from)
{
	struct process *process = snapshot_find_process(snapshot, (int32_t)from->pid);
	struct reported_job *job;

	if (!process || process->reported_job)
		return 0;
	job = calloc(1, sizeof(*job));
	if (!job)
		return -ENOMEM;
	job->start_ticks = from->start_ticks;
	text_copy(job->id, sizeof(job->id), from->job.id);
	text_copy(job->name, sizeof(job->name), from->name);
	text_copy(job->user, sizeof(job->user), from->job.user);
	process->reported_job = job;
	return 0;
}

static void take_claim(struct snapshot *snapshot, const struct image_process *from)
{
	const struct table_device wanted = { .known = TABLE_HAS_NODE, .node = from->claim.node };
	size_t device;

	if (!identity_find(snapshot, &wanted, &device))
		return;
	text_copy(snapshot->devices[device].claim, sizeof(snapshot->devices->claim), from->name);
	snapshot->devices[device].why[DEV_CLAIM] = KNOWN;
}

/* A record without figures. */
static int take_note(struct snapshot *snapshot, const struct image_process *from)
{
	if (from->flags & IMAGE_JOB)
		return take_job(snapshot, from);
	if (from->flags & IMAGE_CLAIM)
		take_claim(snapshot, from);
	else
		take_role(snapshot, from);
	return 0;
}

int server_reports_add(struct sample *sample, const struct image_view *view)
{
	int r = 0;

	sample->snapshot->server_pid = (int32_t)view->header->server_pid;
	sample->snapshot->claims_reported = view->header->flags & IMAGE_HAS_CLAIMS;
	if (view->header->device_offset)
		take_devices(sample->snapshot, view);
	for (uint32_t i = 0; i < view->header->process_count && r >= 0; i++) {
		const struct image_process *from = &view->processes[i];

		if (from->flags & IMAGE_NOTES) {
			r = take_note(sample->snapshot, from);
			continue;
		}
		if (from->origin == IMAGE_TRACED && from->trace_fault) {
			take_trace_fault(sample->snapshot, from);
			continue;
		}
		r = from->flags & IMAGE_FINISHED ? take_finished(sample, view, from)
						 : take_process(sample, view, from);
	}
	return r;
}
