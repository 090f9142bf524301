#include "model/merge.h"

#include <stdio.h>
#include <string.h>

/* Is part of the total? A total that is not known bounds nothing. */
static bool fits(const struct device *dev, enum device_field field, uint64_t total, uint64_t part)
{
	return !device_knows(dev, field) || part <= total;
}

/* Adds pools without wrapping, within the chip. */
static bool claim_adds_up(const struct claim *claim, const struct device *dev, uint64_t *ret_dram,
			  uint64_t *ret_l1)
{
	return !__builtin_add_overflow(claim->dram, claim->trace, ret_dram) &&
	       !__builtin_add_overflow(claim->l1, claim->l1_small, ret_l1) &&
	       fits(dev, DEV_DRAM_TOTAL, dev->dram_total, *ret_dram) &&
	       fits(dev, DEV_L1_TOTAL, dev->l1_total, *ret_l1);
}

static void usage_mark(struct usage *usage, enum reason why)
{
	memset(usage->why, why, sizeof(usage->why));
	usage->why[USE_TRACKING] = KNOWN;
}

static void usage_take_counts(struct usage *usage, const struct claim *claim)
{
	static const enum usage_field fields[] = {
		USE_SYSTEM, USE_KERNEL, USE_ALLOCATIONS, USE_ALLOCS, USE_FREES, USE_FAILURES,
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		usage->why[fields[i]] = claim->has_counts ? KNOWN : NOT_REPORTED;
	usage->system = claim->system;
	usage->kernel = claim->kernel;
	usage->allocs = claim->allocs;
	usage->frees = claim->frees;
	usage->allocations = claim->allocs - MIN(claim->frees, claim->allocs);
	usage->failures = claim->failures;
}

/* Two may tell the same of a process, but only one of them its single allocations. */
static void usage_take_list(struct usage *usage, const struct claim *claim)
{
	if (!claim->list || claim->source != usage->source || usage->list.why == KNOWN ||
	    usage->why[USE_DRAM] != KNOWN)
		return;
	allocation_list_reset(&usage->list, NOT_REPORTED);
	usage->list = *claim->list;
	*claim->list = (struct allocation_list){ .why = NOT_REPORTED };
}

/* Read after the counters, a peak may lag behind them; beyond the chip it is none. */
static void usage_take_peaks(struct usage *usage, const struct claim *claim,
			     const struct device *dev)
{
	usage->peak_dram = MAX(claim->peak_dram, usage->dram);
	usage->peak_l1 = MAX(claim->peak_l1, usage->l1);
	usage->why[USE_PEAK_DRAM] =
		fits(dev, DEV_DRAM_TOTAL, dev->dram_total, usage->peak_dram) ? KNOWN : IMPLAUSIBLE;
	usage->why[USE_PEAK_L1] =
		fits(dev, DEV_L1_TOTAL, dev->l1_total, usage->peak_l1) ? KNOWN : IMPLAUSIBLE;
}

static void usage_take(struct usage *usage, const struct claim *claim, const struct device *dev)
{
	uint64_t dram, l1;

	usage->source = claim->source;
	allocation_list_reset(&usage->list, NOT_REPORTED);
	snprintf(usage->tracking, sizeof(usage->tracking), "%s", tracking_name(claim->source));
	if (!claim_adds_up(claim, dev, &dram, &l1)) {
		usage_mark(usage, IMPLAUSIBLE);
		return;
	}
	usage_mark(usage, KNOWN);
	usage->dram = dram;
	usage->l1 = l1;
	usage->l1_small = claim->l1_small;
	usage->trace = claim->trace;
	usage->cb = claim->cb;
	usage_take_counts(usage, claim);
	usage->why[USE_PEAK_DRAM] = usage->why[USE_PEAK_L1] = NOT_REPORTED;
	if (claim->has_peak)
		usage_take_peaks(usage, claim, dev);
}

/* A sum beyond all numbers is the largest one, which no chip has: it does not wrap. */
static void add(uint64_t *to, uint64_t part)
{
	if (__builtin_add_overflow(*to, part, to))
		*to = UINT64_MAX;
}

void claim_add(struct claim *claim, const struct claim *part)
{
	add(&claim->dram, part->dram);
	add(&claim->l1, part->l1);
	add(&claim->l1_small, part->l1_small);
	add(&claim->trace, part->trace);
	add(&claim->cb, part->cb);
	add(&claim->system, part->system);
	add(&claim->kernel, part->kernel);
	add(&claim->peak_dram, part->peak_dram);
	add(&claim->peak_l1, part->peak_l1);
	add(&claim->allocs, part->allocs);
	add(&claim->frees, part->frees);
	add(&claim->failures, part->failures);
	claim->connected |= part->connected;
	if (claim->list && part->list)
		allocation_list_join(claim->list, part->list);
}

static void merge_claims(struct snapshot *snapshot, const struct claim *claims, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct claim *claim = &claims[i];
		struct process *process = snapshot_find_process(snapshot, claim->pid);
		struct usage *usage;

		if (!process || claim->device >= snapshot->n_devices ||
		    (claim->start_ticks && process->start_ticks &&
		     claim->start_ticks != process->start_ticks))
			continue;
		usage = process_use(process, claim->device);
		if (!usage)
			continue;
		usage->connected |= claim->connected;
		if (claim->source > usage->source)
			usage_take(usage, claim, &snapshot->devices[claim->device]);
		usage_take_list(usage, claim);
	}
}

/* What the processes on one device have together. */
struct sum {
	uint64_t dram, l1, l1_small, trace, cb;
	unsigned processes, tracked;
	enum reason untracked; /* why the others tell nothing */
	bool overflow;
};

static void sum_add(struct sum *sum, const struct usage *usage)
{
	sum->processes++;
	if (usage->why[USE_DRAM] != KNOWN) {
		if (sum->untracked == KNOWN || sum->untracked == NO_TRACKER)
			sum->untracked = usage->why[USE_DRAM];
		return;
	}
	sum->tracked++;
	sum->overflow |= __builtin_add_overflow(sum->dram, usage->dram, &sum->dram);
	sum->overflow |= __builtin_add_overflow(sum->l1, usage->l1, &sum->l1);
	sum->overflow |= __builtin_add_overflow(sum->cb, usage->cb, &sum->cb);
	sum->l1_small += usage->l1_small;
	sum->trace += usage->trace;
}

/* Used is known if somebody told, or if nobody has the device open. */
static enum reason sum_reason(const struct sum *sum, const struct device *dev)
{
	if (sum->overflow || !fits(dev, DEV_DRAM_TOTAL, dev->dram_total, sum->dram) ||
	    !fits(dev, DEV_L1_TOTAL, dev->l1_total, sum->l1))
		return IMPLAUSIBLE;
	if (sum->tracked)
		return KNOWN;
	if (!dev->holders_known)
		return dev->holders_why;
	if (dev->unseen_holders)
		return OTHER_NAMESPACE;
	return sum->processes ? sum->untracked : KNOWN;
}

static void device_set_free(struct device *dev)
{
	enum reason used = dev->why[DEV_DRAM_USED];

	dev->why[DEV_DRAM_FREE] = (uint8_t)(used == KNOWN ? dev->why[DEV_DRAM_TOTAL] : used);
	dev->why[DEV_MEMORY_RATIO] = dev->why[DEV_DRAM_FREE];
	if (device_knows(dev, DEV_DRAM_FREE)) {
		dev->dram_free = dev->dram_total - dev->dram_used;
		dev->memory_ratio = (double)dev->dram_used / (double)dev->dram_total;
	}
	dev->why[DEV_L1_FREE] = (uint8_t)(used == KNOWN ? dev->why[DEV_L1_TOTAL] : used);
	if (device_knows(dev, DEV_L1_FREE))
		dev->l1_free = dev->l1_total - dev->l1_used;
}

static void device_set_used(struct device *dev, const struct sum *sum)
{
	static const enum device_field fields[] = {
		DEV_DRAM_USED, DEV_L1_USED, DEV_TRACE_USED, DEV_L1_SMALL_USED, DEV_CB_USED,
	};
	enum reason why = sum_reason(sum, dev);

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		dev->why[fields[i]] = (uint8_t)why;
	dev->dram_used = sum->dram;
	dev->l1_used = sum->l1;
	dev->trace_used = sum->trace;
	dev->l1_small_used = sum->l1_small;
	dev->cb_used = sum->cb;
	dev->memory_complete =
		dev->holders_known && !dev->unseen_holders && sum->tracked == sum->processes;
	dev->why[DEV_MEMORY_COMPLETE] = (uint8_t)why;
	dev->processes = sum->processes;
	dev->why[DEV_PROCESSES] = (uint8_t)(dev->holders_known ? KNOWN : dev->holders_why);
	device_set_free(dev);
}

void merge_memory(struct snapshot *snapshot, const struct claim *claims, size_t count)
{
	merge_claims(snapshot, claims, count);
	for (size_t d = 0; d < snapshot->n_devices; d++) {
		struct sum sum = { 0 };

		for (size_t p = 0; p < snapshot->n_processes; p++) {
			const struct usage *usage = process_find_usage(&snapshot->processes[p], d);

			if (usage)
				sum_add(&sum, usage);
		}
		device_set_used(&snapshot->devices[d], &sum);
	}
}
