#include "model/merge.h"

#include <stdio.h>
#include <string.h>

/* Is part of the total? A total that is not known bounds nothing. */
static bool fits(const struct device *dev, enum device_field field, uint64_t total, uint64_t part)
{
	return !device_knows(dev, field) || part <= total;
}

/* Adds the two parts of a pool without wrapping, within the chip. */
static enum reason add_parts(const struct device *dev, enum device_field field, uint64_t total,
			     uint64_t a, uint64_t b, uint64_t *ret)
{
	return __builtin_add_overflow(a, b, ret) || !fits(dev, field, total, *ret) ? IMPLAUSIBLE
										   : KNOWN;
}

static void usage_take_counts(struct usage *usage, const struct memory_report *report)
{
	static const enum usage_field counts[] = { USE_KERNEL, USE_ALLOCS, USE_FREES,
						   USE_FAILURES };
	bool has_held = report->has_held || report->has_counts;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		usage->why[counts[i]] = report->has_counts ? KNOWN : NOT_REPORTED;
	/* Who is preloaded sees an allocation when it has succeeded. */
	if (report->source == TRACKING_PRELOAD)
		usage->why[USE_FAILURES] = NOT_REPORTED;
	usage->why[USE_SYSTEM] = usage->why[USE_ALLOCATIONS] = has_held ? KNOWN : NOT_REPORTED;
	usage->system = report->system;
	usage->kernel = report->kernel;
	usage->allocs = report->allocs;
	usage->frees = report->frees;
	usage->allocations = report->has_held ? report->held
					      : report->allocs - MIN(report->frees, report->allocs);
	usage->failures = report->failures;
}

/* Two may tell the same of a process, but only one of them its single allocations. */
static void usage_take_list(struct usage *usage, const struct memory_report *report)
{
	if (!report->list || report->source != usage->source || usage->list.why == KNOWN ||
	    usage->why[USE_DRAM] != KNOWN)
		return;
	allocation_list_reset(&usage->list, NOT_REPORTED);
	usage->list = *report->list;
	*report->list = (struct allocation_list){ .why = NOT_REPORTED };
}

/* Read after the counters, a peak may lag behind them; beyond the chip it is none. */
static void usage_take_peaks(struct usage *usage, const struct memory_report *report,
			     const struct device *dev)
{
	usage->peak_dram = MAX(report->peak_dram, usage->dram);
	usage->peak_l1 = MAX(report->peak_l1, usage->l1);
	usage->why[USE_PEAK_DRAM] =
		fits(dev, DEV_DRAM_TOTAL, dev->dram_total, usage->peak_dram) ? KNOWN : IMPLAUSIBLE;
	usage->why[USE_PEAK_L1] =
		fits(dev, DEV_L1_TOTAL, dev->l1_total, usage->peak_l1) ? KNOWN : IMPLAUSIBLE;
}

/* A pool that cannot be has no parts and no peak either. */
static void usage_take_pools(struct usage *usage, const struct memory_report *report,
			     const struct device *dev)
{
	enum reason dram = add_parts(dev, DEV_DRAM_TOTAL, dev->dram_total, report->dram,
				     report->trace, &usage->dram);
	enum reason l1 = add_parts(dev, DEV_L1_TOTAL, dev->l1_total, report->l1, report->l1_small,
				   &usage->l1);

	usage->trace = report->trace;
	usage->l1_small = report->l1_small;
	usage->why[USE_DRAM] = usage->why[USE_TRACE] = (uint8_t)dram;
	usage->why[USE_L1] = usage->why[USE_L1_SMALL] = (uint8_t)l1;
	usage->why[USE_PEAK_DRAM] = usage->why[USE_PEAK_L1] = NOT_REPORTED;
	if (report->has_peak)
		usage_take_peaks(usage, report, dev);
	if (dram != KNOWN)
		usage->why[USE_PEAK_DRAM] = (uint8_t)dram;
	if (l1 != KNOWN)
		usage->why[USE_PEAK_L1] = (uint8_t)l1;
}

static void usage_take(struct usage *usage, const struct memory_report *report,
		       const struct device *dev)
{
	usage->source = report->source;
	allocation_list_reset(&usage->list, NOT_REPORTED);
	snprintf(usage->tracking, sizeof(usage->tracking), "%s", tracking_name(report->source));
	usage->why[USE_TRACKING] = usage->why[USE_EXACT] = KNOWN;
	usage->exact = !report->low;
	usage_take_pools(usage, report, dev);
	usage_take_counts(usage, report);
	/* They are no buffers, which is all that tracing sees. */
	usage->cb = report->cb;
	usage->why[USE_CB] = report->source == TRACKING_TRACED ? NOT_REPORTED : KNOWN;
}

/* A sum beyond all numbers is the largest one, which no chip has: it does not wrap. */
static void add(uint64_t *to, uint64_t part)
{
	if (__builtin_add_overflow(*to, part, to))
		*to = UINT64_MAX;
}

void memory_report_add(struct memory_report *report, const struct memory_report *part)
{
	add(&report->dram, part->dram);
	add(&report->l1, part->l1);
	add(&report->l1_small, part->l1_small);
	add(&report->trace, part->trace);
	add(&report->cb, part->cb);
	add(&report->system, part->system);
	add(&report->kernel, part->kernel);
	add(&report->peak_dram, part->peak_dram);
	add(&report->peak_l1, part->peak_l1);
	add(&report->allocs, part->allocs);
	add(&report->frees, part->frees);
	add(&report->failures, part->failures);
	add(&report->held, part->held);
	report->connected |= part->connected;
	report->low |= part->low;
	if (report->list && part->list)
		allocation_list_join(report->list, part->list);
	else if (report->list)
		report->list->cut = true;
}

static void merge_reports(struct snapshot *snapshot, const struct memory_report *reports,
			  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct memory_report *report = &reports[i];
		struct process *process = snapshot_find_process(snapshot, report->pid);
		struct usage *usage;

		if (!process || report->device >= snapshot->n_devices ||
		    (report->start_ticks && process->start_ticks &&
		     report->start_ticks != process->start_ticks))
			continue;
		usage = process_use(process, report->device);
		if (!usage)
			continue;
		usage->connected |= report->connected;
		if (report->source > usage->source)
			usage_take(usage, report, &snapshot->devices[report->device]);
		usage_take_list(usage, report);
	}
}

/* Does it report memory, or is it followed by probes, which find only TT-Metal to follow? */
static bool is_reported(const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];

		if (usage->source != TRACKING_NONE || usage->connected ||
		    reason_trace_fault(usage->why[USE_DRAM]) != TRACE_FAULT_NONE)
			return true;
	}
	return false;
}

/* What a monitor has is not unknown: there is no such thing. */
static void usage_deny(struct usage *usage)
{
	for (unsigned i = 0; i < USAGE_N_FIELDS; i++)
		if (usage->why[i] != KNOWN)
			usage->why[i] = NOT_APPLICABLE;
	usage->list.why = NOT_APPLICABLE;
}

static void judge_roles(struct snapshot *snapshot)
{
	for (size_t p = 0; p < snapshot->n_processes; p++) {
		struct process *process = &snapshot->processes[p];
		struct role_evidence *evidence = &process->evidence;

		evidence->reports = is_reported(process);
		if (evidence->told_start && process->start_ticks &&
		    evidence->told_start != process->start_ticks)
			evidence->told = ROLE_TOLD_NOTHING; /* of another process with this pid */
		process_set_role(process, role_judge(evidence));
		for (size_t i = 0; process->role == ROLE_MONITOR && i < process->n_usages; i++)
			usage_deny(&process->usages[i]);
	}
}

/* What the processes on one device have together of one pool. */
struct sum {
	uint64_t bytes, part; /* the second is of the first: trace buffers, L1_SMALL */
	unsigned tracked;
	enum reason untracked; /* why the others tell nothing */
	bool overflow;
};

struct sums {
	struct sum dram, l1, cb;
	unsigned processes; /* all that hold it */
	unsigned jobs;	    /* that may have memory there: of a remote chip the gateway's too */
	unsigned behind; /* of them, those that hold the gateway and reported nothing of the chip */
	bool low;	 /* one of them has more than is known */
};

static void sum_add(struct sum *sum, enum reason why, uint64_t bytes, uint64_t part)
{
	if (why != KNOWN) {
		if (sum->untracked == KNOWN || sum->untracked == NO_TRACKER)
			sum->untracked = why;
		return;
	}
	sum->tracked++;
	sum->overflow |= __builtin_add_overflow(sum->bytes, bytes, &sum->bytes);
	sum->part += part;
}

static void sums_add(struct sums *sums, const struct process *process, const struct usage *usage)
{
	sums->processes++;
	if (process->role == ROLE_MONITOR)
		return;
	sums->jobs++;
	sums->low |= usage->why[USE_EXACT] == KNOWN && !usage->exact;
	sum_add(&sums->dram, usage->why[USE_DRAM], usage->dram, usage->trace);
	sum_add(&sums->l1, usage->why[USE_L1], usage->l1, usage->l1_small);
	sum_add(&sums->cb, usage->why[USE_CB], usage->cb, 0);
}

/*
 * A process has the gateway open and reported nothing of the chip behind it: nothing is held
 * there if its memory is known at all, since the same origin would have told.
 */
static void sums_add_gateway(struct sums *sums, const struct process *process,
			     const struct usage *gateway)
{
	if (process->role == ROLE_MONITOR)
		return;
	sums->jobs++;
	sums->behind++;
	sums->low |= gateway->why[USE_EXACT] == KNOWN && !gateway->exact;
	sum_add(&sums->dram, gateway->why[USE_DRAM], 0, 0);
	sum_add(&sums->l1, gateway->why[USE_L1], 0, 0);
	sum_add(&sums->cb, gateway->why[USE_CB], 0, 0);
}

/* Used is known if a job on it is tracked, or if no job has the device open. */
static enum reason sum_reason(const struct sum *sum, const struct sums *sums,
			      const struct device *held)
{
	if (sum->overflow)
		return IMPLAUSIBLE;
	if (sum->tracked)
		return KNOWN;
	if (!held->holders_known)
		return held->holders_why;
	if (held->unseen_holders)
		return device_unseen_reason(held);
	return sums->jobs ? sum->untracked : KNOWN;
}

static void device_set_free(struct device *dev)
{
	enum reason dram = dev->why[DEV_DRAM_USED], l1 = dev->why[DEV_L1_USED];

	dev->why[DEV_DRAM_FREE] = (uint8_t)(dram == KNOWN ? dev->why[DEV_DRAM_TOTAL] : dram);
	dev->why[DEV_MEMORY_RATIO] = dev->why[DEV_DRAM_FREE];
	if (device_knows(dev, DEV_DRAM_FREE)) {
		dev->dram_free = dev->dram_total - dev->dram_used;
		dev->memory_ratio = (double)dev->dram_used / (double)dev->dram_total;
	}
	dev->why[DEV_L1_FREE] = (uint8_t)(l1 == KNOWN ? dev->why[DEV_L1_TOTAL] : l1);
	if (device_knows(dev, DEV_L1_FREE))
		dev->l1_free = dev->l1_total - dev->l1_used;
}

static void device_set_complete(struct device *dev, const struct device *held,
				const struct sums *sums)
{
	enum reason why = dev->why[DEV_DRAM_USED];

	dev->memory_complete = held->holders_known && !held->unseen_holders && !sums->low &&
			       sums->dram.tracked == sums->jobs && sums->l1.tracked == sums->jobs;
	if (device_knows(dev, DEV_L1_USED))
		why = KNOWN; /* then it is about that one at least */
	dev->why[DEV_MEMORY_COMPLETE] = (uint8_t)why;
}

/* A process of the gateway's whose memory is not known may use the chip behind it as well. */
static enum reason count_reason(const struct sums *sums, const struct device *held)
{
	if (!held->holders_known)
		return held->holders_why;
	return sums->behind && sums->dram.tracked < sums->jobs ? sums->dram.untracked : KNOWN;
}

/* held: the device that its holders have open: itself, or its gateway. */
static void device_set_used(struct device *dev, const struct device *held, const struct sums *sums)
{
	enum reason dram = sum_reason(&sums->dram, sums, held),
		    l1 = sum_reason(&sums->l1, sums, held);

	dev->dram_used = sums->dram.bytes;
	dev->trace_used = sums->dram.part;
	dev->l1_used = sums->l1.bytes;
	dev->l1_small_used = sums->l1.part;
	dev->cb_used = sums->cb.bytes;
	if (!fits(dev, DEV_DRAM_TOTAL, dev->dram_total, dev->dram_used))
		dram = IMPLAUSIBLE;
	if (!fits(dev, DEV_L1_TOTAL, dev->l1_total, dev->l1_used))
		l1 = IMPLAUSIBLE;
	dev->why[DEV_DRAM_USED] = dev->why[DEV_TRACE_USED] = (uint8_t)dram;
	dev->why[DEV_L1_USED] = dev->why[DEV_L1_SMALL_USED] = (uint8_t)l1;
	dev->why[DEV_CB_USED] = (uint8_t)sum_reason(&sums->cb, sums, held);
	device_set_complete(dev, held, sums);
	dev->processes = sums->processes;
	dev->why[DEV_PROCESSES] = (uint8_t)count_reason(sums, held);
	device_set_free(dev);
}

/* The device through which a chip without PCIe is reached; SIZE_MAX: it is not here. */
static size_t find_gateway(const struct snapshot *snapshot, const struct device *remote)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (!snapshot->devices[i].remote && snapshot->devices[i].index == remote->gateway)
			return i;
	return SIZE_MAX;
}

static void merge_device(struct snapshot *snapshot, size_t at)
{
	struct device *dev = &snapshot->devices[at];
	/* The missing chip of a p300 is reached through nothing. */
	size_t gateway =
		dev->remote && dev->arch == ARCH_WORMHOLE ? find_gateway(snapshot, dev) : SIZE_MAX;
	const struct device *held = gateway != SIZE_MAX ? &snapshot->devices[gateway] : dev;
	struct sums sums = { 0 };

	for (size_t p = 0; p < snapshot->n_processes; p++) {
		const struct process *process = &snapshot->processes[p];
		const struct usage *usage = process_find_usage(process, at), *through = NULL;

		if (!usage && gateway != SIZE_MAX)
			through = process_find_usage(process, gateway);
		if (usage)
			sums_add(&sums, process, usage);
		else if (through)
			sums_add_gateway(&sums, process, through);
	}
	device_set_used(dev, held, &sums);
}

void merge_memory(struct snapshot *snapshot, const struct memory_report *reports, size_t count)
{
	merge_reports(snapshot, reports, count);
	judge_roles(snapshot);
	for (size_t i = 0; i < snapshot->n_devices; i++)
		merge_device(snapshot, i);
}
