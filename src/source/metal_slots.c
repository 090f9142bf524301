/*
 * Assigns files to chips and slots to processes. A file belongs to a chip by the id in its name
 * (metal_id.h), or by the logical number of the last process that attached to it. A slot belongs to
 * a process that
 * - sees that file: it is in the same mount namespace, or shares its /dev/shm;
 * - has the file's chip open, or the chip's gateway;
 * - has the slot's pid in its own pid namespace;
 * - was started before the slot was last written;
 * - is trusted: the file belongs to the process's user or to root.
 * If several processes match and their names do not distinguish them, the memory of all of them is
 * unknown. A slot that matches no process was left by one that exited: shown as stale, not counted.
 */
#include "source/metal_slots.h"

#include "basic/clock.h"
#include "proto/table.h"
#include "source/identity.h"

#include <stdio.h>
#include <string.h>

/* Clocks can be adjusted, and start times have a resolution of 10 ms. */
static const double start_slack = 2.0;

static const struct device *device_at(const struct sample *sample, size_t at)
{
	return &sample->snapshot->devices[at];
}

/* ---- which processes a slot can mean ---- */

bool metal_folder_is_seen(const struct metal_folder *folder, const struct process *process)
{
	const struct container_shm *container = containers_find(folder->containers, process);

	if (!container || (!container->late && container->shared))
		return !folder->container;
	return container == folder->container;
}

/* The pid that getpid() returns in it. */
static int32_t innermost_pid(const struct process *process)
{
	return process->ns_depth ? process->ns_pids[process->ns_depth - 1] : process->pid;
}

/* Seconds by which CLOCK_MONOTONIC, which stops during suspend, is behind the time since boot. */
static double suspended(const struct sample *sample)
{
	if (!sample->root->live)
		return 0;
	return (double)(clock_now(CLOCK_BOOTTIME) - clock_now(CLOCK_MONOTONIC)) / NS_PER_S;
}

/*
 * Did it exist when the slot was last written? Otherwise its pid belonged to another process. Slots
 * have the wall clock's time, in layout 1 and the first releases of layout 2 that of
 * CLOCK_MONOTONIC: a number of nanoseconds that would be a date before 2001.
 */
static bool is_old_enough(const struct sample *sample, const struct process *process,
			  const struct metal_slot *slot)
{
	static const uint64_t first_date_ns = UINT64_C(1000000000) * NS_PER_S;
	double updated = (double)slot->updated_ns / NS_PER_S, started;

	if (!process_knows(process, PROC_START_TIME) || slot->updated_ns == 0)
		return true;
	if (slot->updated_ns >= first_date_ns)
		return process->start_time <= updated + start_slack;
	started = (double)process->start_ticks / (double)sysconf(_SC_CLK_TCK);
	return started <= updated + suspended(sample) + start_slack;
}

static bool fits(const struct metal_view *view, const struct metal_slot *slot,
		 const struct process *process)
{
	const struct sample *sample = view->folder->sample;

	return process->n_usages && innermost_pid(process) == slot->pid &&
	       metal_folder_is_seen(view->folder, process) &&
	       is_old_enough(sample, process, slot) &&
	       (!view->has_device || identity_find_hold(sample->snapshot, process, view->device));
}

/* TT-Metal writes comm, which is the first 15 bytes of a name that was not changed. */
static bool has_name(const struct process *process, const struct metal_slot *slot)
{
	return strncmp(process->name, slot->name, 15) == 0;
}

/*
 * The process of a slot, and the number of matches: those with the slot's name if there are any,
 * since programs may change theirs. NULL if not exactly one.
 */
static struct process *find_process(const struct metal_view *view, const struct metal_slot *slot,
				    unsigned *ret_fitting)
{
	struct snapshot *snapshot = view->folder->sample->snapshot;
	struct process *fit = NULL, *named = NULL;
	unsigned n_fit = 0, n_named = 0;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		struct process *process = &snapshot->processes[i];

		if (!fits(view, slot, process))
			continue;
		fit = process;
		n_fit++;
		if (has_name(process, slot)) {
			named = process;
			n_named++;
		}
	}
	*ret_fitting = n_named ? n_named : n_fit;
	return *ret_fitting != 1 ? NULL : n_named ? named : fit;
}

/* ---- what a slot says ---- */

/* A slot is stale only if no process can own it: a holder that is not visible could. */
static enum reason stale_usage_reason(const struct snapshot *snapshot, const struct device *dev)
{
	for (size_t i = 0; i < snapshot->n_devices && dev->remote; i++)
		if (!snapshot->devices[i].remote && snapshot->devices[i].index == dev->gateway)
			dev = &snapshot->devices[i];
	if (dev->unseen_holders)
		return device_unseen_reason(dev);
	return dev->holders_known ? STALE : dev->holders_why;
}

/* Saturating: a forged sum must not wrap to a small one. */
static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* More than the chip has is impossible: the file is damaged or forged. */
static bool can_be(const struct device *dev, const struct stale_usage *stale)
{
	return (!device_knows(dev, DEV_DRAM_TOTAL) ||
		stale->bytes[POOL_DRAM] <= dev->memory_total[POOL_DRAM]) &&
	       (!device_knows(dev, DEV_L1_TOTAL) ||
		stale->bytes[POOL_L1] <= dev->memory_total[POOL_L1]);
}

static int leave(const struct metal_view *view, const struct metal_slot *slot)
{
	struct snapshot *snapshot = view->folder->sample->snapshot;
	struct stale_usage stale = {
		.device = view->device,
		.pid = slot->pid,
		.bytes[POOL_DRAM] = add(slot->bytes[POOL_DRAM], slot->bytes[POOL_TRACE]),
		.bytes[POOL_L1] = add(slot->bytes[POOL_L1], slot->bytes[POOL_L1_SMALL]),
	};

	/* A process that attached and allocated nothing left nothing. */
	if (!view->has_device || (stale.bytes[POOL_DRAM] == 0 && stale.bytes[POOL_L1] == 0) ||
	    !can_be(&snapshot->devices[view->device], &stale))
		return 0;
	stale.why = stale_usage_reason(snapshot, &snapshot->devices[view->device]);
	memcpy(stale.name, slot->name, sizeof(stale.name));
	return snapshot_add_stale_usage(snapshot, &stale);
}

void metal_set_reason(struct process *process, const struct usage *only, enum reason why)
{
	for (size_t i = 0; i < process->n_usages; i++)
		if (!only || &process->usages[i] == only)
			usage_set_reason(&process->usages[i], why);
}

/* Several processes match: it may belong to any of them. */
static void set_ambiguous(const struct metal_view *view, const struct metal_slot *slot)
{
	struct snapshot *snapshot = view->folder->sample->snapshot;

	for (size_t i = 0; i < snapshot->n_processes; i++)
		if (fits(view, slot, &snapshot->processes[i]))
			metal_set_reason(&snapshot->processes[i], NULL, AMBIGUOUS_PROCESS);
}

/* In a tree every file belongs to the user that unpacked it. */
static bool is_trusted_owner(const struct metal_view *view, const struct process *process)
{
	const struct sample *sample = view->folder->sample;
	uid_t owner = view->file->owner;

	return !sample->root->live || owner == 0 ||
	       (process_knows(process, PROC_UID) && process->uid == owner);
}

static int report_slot(const struct metal_view *view, const struct metal_slot *slot,
		       const struct process *process)
{
	struct memory_report report = memory_report_make(process->pid, TRACKING_METAL);

	report.device = view->device;
	memcpy(report.bytes, slot->bytes, sizeof(report.bytes));
	return sample_report(view->folder->sample, &report);
}

static int take_slot(const struct metal_view *view, const struct metal_slot *slot)
{
	struct sample *sample = view->folder->sample;
	unsigned fitting;
	struct process *process = find_process(view, slot, &fitting);

	if (fitting > 1) {
		set_ambiguous(view, slot);
		return 0;
	}
	if (!process)
		return leave(view, slot);
	if (!view->has_device) {
		metal_set_reason(process, NULL,
				 process->visible_why ? process->visible_why : UNMATCHED_CHIP);
		return 0;
	}
	if (!is_trusted_owner(view, process)) {
		metal_set_reason(process,
				 identity_find_hold(sample->snapshot, process, view->device),
				 UNTRUSTED_FILE);
		return 0;
	}
	return report_slot(view, slot, process);
}

/* ---- which chip a file is for, if its name does not identify one ---- */

/*
 * A dead chip has no id. If exactly one of the devices that a process holds is dead, a file that
 * matches no other device belongs to it.
 */
static bool find_nameless(const struct sample *sample, const struct process *process, size_t *ret)
{
	size_t nameless = 0;

	for (size_t i = 0; i < process->n_usages; i++) {
		size_t device = process->usages[i].device;

		if (device_at(sample, device)->remote ||
		    device_knows(device_at(sample, device), DEV_ASIC_ID))
			continue;
		*ret = device;
		nameless++;
	}
	return nameless == 1;
}

/* By TT-Metal's logical number, in the device order of the process. */
static bool find_logical(const struct metal_view *view, const struct process *process, size_t *ret)
{
	const struct sample *sample = view->folder->sample;

	return identity_logical(sample->snapshot, process, view->file->counters.device_id, ret) ||
	       find_nameless(sample, process, ret);
}

/*
 * The number in the header is that of the process that attached last. All processes of a file use
 * the same chip, so if the number means different chips for them, it is ambiguous.
 */
static void find_device(struct metal_view *view)
{
	const struct metal_counters *counters = &view->file->counters;

	for (size_t i = 0; i < counters->n_slots; i++) {
		unsigned fitting;
		const struct process *process = find_process(view, &counters->slots[i], &fitting);
		size_t device;

		if (!process || !find_logical(view, process, &device))
			continue;
		if (view->has_device && view->device != device) {
			view->has_device = false;
			return;
		}
		view->has_device = true;
		view->device = device;
	}
}

/* Reports once that a file used by processes matches no device. */
static void report_unmatched(const struct metal_view *view)
{
	const struct metal_counters *counters = &view->file->counters;
	char path[SHM_PATH_SIZE];
	unsigned fitting;

	shm_path(path, view->file->id, SHM_MEMORY);
	for (size_t i = 0; i < counters->n_slots; i++) {
		const struct process *process = find_process(view, &counters->slots[i], &fitting);

		if (!process)
			continue;
		snapshot_add_problem(view->folder->sample->snapshot, "metal_shm",
				     "%s: process %d uses it, but its id and its device number %u "
				     "match no device",
				     path, process->pid, counters->device_id);
		return;
	}
}

/*
 * The name is a logical number instead of an id: it means another chip for each process.
 */
static bool is_named_by_number(const struct metal_view *view)
{
	return !view->has_device && view->file->id < TABLE_DEVICES;
}

static int take_numbered_slot(const struct metal_view *view, const struct metal_slot *slot)
{
	struct metal_view own = *view;
	unsigned fitting;
	const struct process *process = find_process(view, slot, &fitting);

	own.has_device = process && find_logical(view, process, &own.device);
	return take_slot(&own, slot);
}

int metal_take_slots(struct metal_view *view)
{
	const struct metal_counters *counters = &view->file->counters;
	bool numbered = is_named_by_number(view);
	int r = 0;

	if (!view->has_device && !numbered) {
		find_device(view);
		if (!view->has_device)
			report_unmatched(view);
	}
	for (size_t i = 0; i < counters->n_slots && r >= 0; i++)
		r = numbered ? take_numbered_slot(view, &counters->slots[i])
			     : take_slot(view, &counters->slots[i]);
	return r;
}
