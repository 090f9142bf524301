#include "model/merge.h"

#include <stdio.h>
#include <string.h>

/* Can the device's pool hold this much? An unknown total does not limit it. */
static bool fits(const struct device *dev, enum pool pool, uint64_t bytes)
{
	return !device_knows(dev, device_pools[pool].total) || bytes <= dev->memory_total[pool];
}

/* Saturating addition. */
static void add(uint64_t *to, uint64_t part)
{
	if (__builtin_add_overflow(*to, part, to))
		*to = UINT64_MAX;
}

static void add_count(struct allocation_count *to, const struct allocation_count *part)
{
	add(&to->allocs, part->allocs);
	add(&to->failures, part->failures);
}

struct allocation_count memory_report_total(const struct memory_report *report)
{
	struct allocation_count total = { 0 };

	for (enum pool pool = 0; pool < POOL_COUNT; pool++)
		add_count(&total, &report->counts[pool]);
	return total;
}

static void usage_take_counts(struct usage *usage, const struct memory_report *report)
{
	static const enum usage_field counts[] = { USE_ALLOCS, USE_FREES, USE_FAILURES };
	bool has_held = report->has_held || report->has_counts;
	const struct allocation_count total = memory_report_total(report);

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		usage->why[counts[i]] = report->has_counts ? KNOWN : NOT_REPORTED;
	/* The preloaded library counts allocations only after they succeed. */
	if (report->source == TRACKING_PRELOAD)
		usage->why[USE_FAILURES] = NOT_REPORTED;
	usage->why[USE_ALLOCATIONS] = has_held ? KNOWN : NOT_REPORTED;
	usage->allocs = total.allocs;
	usage->frees = report->frees;
	usage->allocations =
		report->has_held ? report->held : total.allocs - MIN(report->frees, total.allocs);
	usage->failures = total.failures;
	for (size_t i = 0; i < POOL_SPLITS; i++) {
		usage->counts[i] = report->counts[pool_splits[i].whole];
		add_count(&usage->counts[i], &report->counts[pool_splits[i].part]);
	}
	usage->changed_ns = report->changed_ns;
}

/* Several sources may report the same process, but only one lists its allocations. */
static void usage_take_list(struct usage *usage, const struct memory_report *report)
{
	if (!report->list || report->source != usage->tracking || usage->list.why == KNOWN ||
	    usage->why[USE_DRAM] != KNOWN)
		return;
	allocation_list_reset(&usage->list, NOT_REPORTED);
	usage->list = *report->list;
	*report->list = (struct allocation_list){ .why = NOT_REPORTED };
}

/* A peak is read after the counters and may lag behind them; it cannot exceed the chip. */
static enum reason usage_take_peak(struct usage *usage, const struct memory_report *report,
				   const struct device *dev, enum pool pool)
{
	usage->peak[pool] = MAX(report->peak[pool], usage->bytes[pool]);
	if (!report->has_peak)
		return NOT_REPORTED;
	return fits(dev, pool, usage->peak[pool]) ? KNOWN : IMPLAUSIBLE;
}

/* If a pool is implausible, so are its part and its peak. */
static void usage_take_split(struct usage *usage, const struct memory_report *report,
			     const struct device *dev, const struct pool_split *split)
{
	const enum pool whole = split->whole, part = split->part;
	bool wraps = __builtin_add_overflow(report->bytes[whole], report->bytes[part],
					    &usage->bytes[whole]);
	enum reason why = report->why[whole];

	if (why == KNOWN && (wraps || !fits(dev, whole, usage->bytes[whole])))
		why = IMPLAUSIBLE;
	usage->bytes[part] = report->bytes[part];
	usage->why[usage_pools[whole].bytes] = (uint8_t)why;
	usage->why[usage_pools[part].bytes] = why == KNOWN ? report->why[part] : (uint8_t)why;
	if (why == KNOWN)
		why = usage_take_peak(usage, report, dev, whole);
	usage->why[usage_pools[whole].peak] = (uint8_t)why;
}

static void usage_take_pools(struct usage *usage, const struct memory_report *report,
			     const struct device *dev)
{
	static const enum pool apart[] = { POOL_CB, POOL_SYSTEM, POOL_KERNEL };

	for (size_t i = 0; i < POOL_SPLITS; i++)
		usage_take_split(usage, report, dev, &pool_splits[i]);
	for (size_t i = 0; i < ARRAY_SIZE(apart); i++) {
		usage->bytes[apart[i]] = report->bytes[apart[i]];
		usage->why[usage_pools[apart[i]].bytes] = report->why[apart[i]];
	}
}

static void usage_take(struct usage *usage, const struct memory_report *report,
		       const struct device *dev)
{
	usage->tracking = report->source;
	allocation_list_reset(&usage->list, NOT_REPORTED);
	usage->why[USE_TRACKING] = usage->why[USE_EXACT] = KNOWN;
	usage->exact = !report->low;
	usage_take_pools(usage, report, dev);
	usage_take_counts(usage, report);
}

struct memory_report memory_report_make(int32_t pid, enum tracking source)
{
	static const uint8_t whys[TRACKING_N][POOL_COUNT] = {
		[TRACKING_METAL] = { [POOL_SYSTEM] = NOT_REPORTED, [POOL_KERNEL] = NOT_REPORTED },
		/* Tracing sees only buffers; circular buffers and kernels are not allocated as
		   such. */
		[TRACKING_TRACED] = { [POOL_CB] = NOT_REPORTED, [POOL_KERNEL] = NOT_REPORTED },
	};
	struct memory_report report = { .pid = pid, .source = source };

	memcpy(report.why, whys[source], sizeof(report.why));
	return report;
}

void memory_report_add(struct memory_report *report, const struct memory_report *part)
{
	for (enum pool pool = 0; pool < POOL_COUNT; pool++) {
		add(&report->bytes[pool], part->bytes[pool]);
		add(&report->peak[pool], part->peak[pool]);
		add_count(&report->counts[pool], &part->counts[pool]);
		if (report->why[pool] == KNOWN)
			report->why[pool] = part->why[pool];
	}
	add(&report->frees, part->frees);
	add(&report->held, part->held);
	report->changed_ns = MAX(report->changed_ns, part->changed_ns);
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
		if (report->source > usage->tracking)
			usage_take(usage, report, &snapshot->devices[report->device]);
		usage_take_list(usage, report);
	}
}

/* Does it report memory, or is it traced? The tracer only follows TT-Metal. */
static bool is_reported(const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];

		if (usage->tracking != TRACKING_NONE || usage->connected ||
		    reason_trace_fault(usage->why[USE_DRAM]) != TRACE_FAULT_NONE)
			return true;
	}
	return false;
}

/* A monitor has no memory: the fields do not apply. */
static void usage_set_not_applicable(struct usage *usage)
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
		struct role_evidence *evidence = &process->evidence.role;

		evidence->reports = is_reported(process);
		evidence->start_ticks = process->start_ticks;
		process_set_role(process, role_judge(evidence));
		for (size_t i = 0; process->role == ROLE_MONITOR && i < process->n_usages; i++)
			usage_set_not_applicable(&process->usages[i]);
	}
}

/* The sum of one pool over the processes on a device. */
struct pool_sum {
	uint64_t bytes;
	unsigned tracked;
	enum reason untracked; /* why the others report nothing */
	bool overflow;
};

struct pool_sums {
	struct pool_sum pools[POOL_COUNT];
	unsigned processes; /* all processes that hold the device */
	/* those that may have memory there; for a remote chip also those of the gateway */
	unsigned jobs;
	unsigned behind; /* those of them that hold the gateway and reported nothing for the chip */
	bool low;	 /* one of them is a lower bound */
};

static void sum_add(struct pool_sum *sum, enum reason why, uint64_t bytes)
{
	if (why != KNOWN) {
		if (sum->untracked == KNOWN || sum->untracked == NO_TRACKER)
			sum->untracked = why;
		return;
	}
	sum->tracked++;
	sum->overflow |= __builtin_add_overflow(sum->bytes, bytes, &sum->bytes);
}

/* Adds the memory of a job. holds: it holds the device itself, not just its gateway. */
static void sums_add_job(struct pool_sums *sums, const struct usage *usage, bool holds)
{
	sums->jobs++;
	sums->low |= usage->why[USE_EXACT] == KNOWN && !usage->exact;
	for (enum pool pool = 0; pool < POOL_COUNT; pool++)
		sum_add(&sums->pools[pool], usage->why[usage_pools[pool].bytes],
			holds ? usage->bytes[pool] : 0);
}

static void sums_add(struct pool_sums *sums, const struct process *process,
		     const struct usage *usage)
{
	sums->processes++;
	if (process->role != ROLE_MONITOR)
		sums_add_job(sums, usage, true);
}

/*
 * The process has the gateway open and reported nothing for the chip behind it. If its memory is
 * known at all, it has none there: the same source would have reported it.
 */
static void sums_add_gateway(struct pool_sums *sums, const struct process *process,
			     const struct usage *gateway)
{
	if (process->role == ROLE_MONITOR)
		return;
	sums->behind++;
	sums_add_job(sums, gateway, false);
}

/* Used memory is known if a job on the device is tracked, or if no job has it open. */
static enum reason sum_reason(const struct pool_sum *sum, const struct pool_sums *sums,
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

static void device_set_free(struct device *dev, enum pool pool)
{
	const struct device_pool *fields = &device_pools[pool];
	enum reason used = dev->why[fields->used];

	dev->why[fields->free] = (uint8_t)(used == KNOWN ? dev->why[fields->total] : used);
	if (device_knows(dev, fields->free))
		dev->memory_free[pool] = dev->memory_total[pool] - dev->memory_used[pool];
}

static void device_set_ratio(struct device *dev)
{
	dev->why[DEV_MEMORY_RATIO] = dev->why[DEV_DRAM_FREE];
	if (device_knows(dev, DEV_MEMORY_RATIO))
		dev->memory_ratio =
			(double)dev->memory_used[POOL_DRAM] / (double)dev->memory_total[POOL_DRAM];
}

static void device_set_complete(struct device *dev, const struct device *held,
				const struct pool_sums *sums)
{
	enum reason why = dev->why[DEV_DRAM_USED];

	dev->memory_complete = held->holders_known && !held->unseen_holders && !sums->low;
	for (size_t i = 0; i < POOL_SPLITS; i++)
		dev->memory_complete &= sums->pools[pool_splits[i].whole].tracked == sums->jobs;
	if (device_knows(dev, DEV_L1_USED))
		why = KNOWN; /* then it is a lower bound */
	dev->why[DEV_MEMORY_COMPLETE] = (uint8_t)why;
}

/* A process with unknown memory on the gateway may also use the chip behind it. */
static enum reason count_reason(const struct pool_sums *sums, const struct device *held)
{
	const struct pool_sum *dram = &sums->pools[POOL_DRAM];

	if (!held->holders_known)
		return held->holders_why;
	return sums->behind && dram->tracked < sums->jobs ? dram->untracked : KNOWN;
}

static void device_set_pool(struct device *dev, const struct pool_sums *sums, enum pool pool,
			    enum reason why)
{
	dev->memory_used[pool] = sums->pools[pool].bytes;
	dev->why[device_pools[pool].used] = (uint8_t)why;
}

/* held: the device that its holders have open, which is itself or its gateway. */
static void device_set_used(struct device *dev, const struct device *held,
			    const struct pool_sums *sums)
{
	for (size_t i = 0; i < POOL_SPLITS; i++) {
		const enum pool whole = pool_splits[i].whole;
		const struct pool_sum *sum = &sums->pools[whole];
		enum reason why =
			fits(dev, whole, sum->bytes) ? sum_reason(sum, sums, held) : IMPLAUSIBLE;

		device_set_pool(dev, sums, whole, why);
		device_set_pool(dev, sums, pool_splits[i].part, why);
		device_set_free(dev, whole);
	}
	device_set_pool(dev, sums, POOL_CB, sum_reason(&sums->pools[POOL_CB], sums, held));
	device_set_ratio(dev);
	device_set_complete(dev, held, sums);
	dev->processes = sums->processes;
	dev->why[DEV_PROCESSES] = (uint8_t)count_reason(sums, held);
}

/* The device through which a chip without PCIe is reached; SIZE_MAX: not present. */
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
	/* The missing chip of a p300 has no gateway. */
	size_t gateway =
		dev->remote && dev->arch == ARCH_WORMHOLE ? find_gateway(snapshot, dev) : SIZE_MAX;
	const struct device *held = gateway != SIZE_MAX ? &snapshot->devices[gateway] : dev;
	struct pool_sums sums = { 0 };

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
