#include "model/quiet.h"

#include "basic/clock.h"

/*
 * Bytes per second over PCIe that are work. Monitors cause traffic as well: a chip answers each
 * reading of its telemetry, some kilobytes per second in all.
 */
static const double least_traffic = 64 << 10;

/* The time since the last sign of work. */
struct quiet {
	bool known;
	double seconds;
};

/* In seconds; more decimals than milliseconds would be those of the moment of the sample. */
static double elapsed(int64_t from_ns, int64_t to_ns)
{
	return (double)(MAX(to_ns - from_ns, 0) / NS_PER_MS) / 1000;
}

static void add_sign(struct quiet *quiet, double seconds)
{
	if (!quiet->known || seconds < quiet->seconds)
		quiet->seconds = seconds;
	quiet->known = true;
}

/* A running program is work, and so is one that has just ended. why and value are of one figure. */
static void add_programs(struct quiet *quiet, const uint8_t *why, const struct utilization *value)
{
	if (why[UTIL_RUNNING] == KNOWN)
		add_sign(quiet, 0);
	if (why[UTIL_LAST_PROGRAM] == KNOWN)
		add_sign(quiet, value->last_program);
}

/*
 * When data last moved, or when the observation began. The server may have observed
 * it for longer.
 */
static void note_traffic(struct device *now, const struct device *before)
{
	now->worked_ns = MAX(before ? before->worked_ns : 0, now->server_worked_ns);
	if (!device_knows(now, DEV_PCIE_RX))
		return;
	if (now->pcie_rx + now->pcie_tx >= least_traffic)
		now->worked_ns = now->sampled_ns;
	else if (!now->worked_ns && before)
		now->worked_ns = before->sampled_ns;
}

static void fill_device(struct device *now, const struct device *before)
{
	struct quiet quiet = { 0 };

	note_traffic(now, before);
	if ((device_knows(now, DEV_PCIE_RX) || now->server_worked_ns) && now->worked_ns)
		add_sign(&quiet, elapsed(now->worked_ns, now->sampled_ns));
	add_programs(&quiet, now->why + DEV_DISPATCH, &now->utilization);
	now->quiet = quiet.seconds;
	now->why[DEV_QUIET] = quiet.known ? KNOWN : now->why[DEV_PCIE_RX];
}

/* Changes whenever memory is allocated or freed. */
static bool memory_mark(const struct process *process, uint64_t *ret)
{
	bool known = false;

	*ret = process->n_usages;
	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];

		for (size_t pool = 0; pool < POOL_COUNT; pool++) {
			if (usage->why[usage_pools[pool].bytes] != KNOWN)
				continue;
			known = true;
			*ret = *ret * 31 + usage->bytes[pool];
		}
		*ret = *ret * 31 + usage->allocs;
		*ret = *ret * 31 + usage->frees;
	}
	return known;
}

static const struct process *find_earlier(const struct snapshot *before,
					  const struct process *process)
{
	const struct process *found = before ? snapshot_find_process(before, process->pid) : NULL;

	return found && found->start_ticks == process->start_ticks ? found : NULL;
}

/* When its memory last changed, as its tracker knows it, on any of its devices; 0: not known. */
static int64_t tracked_change(const struct process *process)
{
	int64_t latest = 0;

	for (size_t i = 0; i < process->n_usages; i++)
		latest = MAX(latest, process->usages[i].changed_ns);
	return latest;
}

/* Its memory has not been seen to change since this time; 0: not observed. */
static int64_t last_change(const struct process *process, const struct process *earlier,
			   const struct snapshot *now, const struct snapshot *before)
{
	int64_t tracked = tracked_change(process);
	uint64_t mark, earlier_mark;

	if (!memory_mark(process, &mark) || !earlier || !memory_mark(earlier, &earlier_mark))
		return tracked;
	if (mark != earlier_mark)
		return tracked ? tracked : now->asked_ns;
	if (earlier->changed_ns)
		return MAX(earlier->changed_ns, tracked);
	return tracked ? tracked : before->asked_ns;
}

static void fill_process(struct process *process, const struct snapshot *now,
			 const struct snapshot *before)
{
	const struct process *earlier = find_earlier(before, process);
	struct quiet quiet = { 0 };

	process->changed_ns = last_change(process, earlier, now, before);
	if (process->changed_ns)
		add_sign(&quiet, elapsed(process->changed_ns, now->asked_ns));
	for (size_t i = 0; i < process->n_usages; i++)
		add_programs(&quiet, process->usages[i].why + USE_UTILIZATION,
			     &process->usages[i].utilization);
	process->quiet = quiet.seconds;
	if (quiet.known)
		process->why[PROC_QUIET] = KNOWN; /* also of a process that procfs hides */
	else if (process->why[PROC_QUIET] == NOT_ASKED)
		process->why[PROC_QUIET] = NEEDS_TWO_SAMPLES;
}

void quiet_fill(struct snapshot *now, const struct snapshot *before)
{
	/* A recording has only one sample, which may be read twice. */
	if (now->recorded)
		before = NULL;
	for (size_t i = 0; i < now->n_devices; i++) {
		struct device *dev = &now->devices[i];

		if (dev->why[DEV_QUIET] == NOT_ASKED && !dev->remote)
			fill_device(dev, snapshot_find_device(before, dev, i));
	}
	for (size_t i = 0; i < now->n_processes; i++)
		fill_process(&now->processes[i], now, before);
}
