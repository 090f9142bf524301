/*
 * Memory per process, as TT-Metal (April 2026 and later) counts it itself.
 *
 * A file belongs to a chip by its ASIC id, or by an id composed of board and
 * place (older ones, and boards linked to others), or by TT-Metal's logical
 * number. A slot belongs to a process by the pid that process has in its own
 * namespace. What a dead process left behind is told apart by pid and start time
 * and shown as stale, not counted.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "proto/metal_shm.h"
#include "source/identity.h"
#include "source/shm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The start of a process is known to 10 ms, and clocks get set. */
static const double start_slack = 2.0;

static const struct device *device_at(const struct sample *sample, size_t at)
{
	return &sample->snapshot->devices[at];
}

/* How many chips of the board come before this one in bus order. */
static unsigned place_on_board(const struct sample *sample, const struct device *dev)
{
	unsigned place = dev->remote;

	if (device_knows(dev, DEV_TRAY))
		return (unsigned)(dev->tray << 4 | dev->chip);
	for (size_t i = 0; i < sample->snapshot->n_devices && !dev->remote; i++) {
		const struct device *other = device_at(sample, i);

		if (other != dev && device_knows(other, DEV_SERIAL) &&
		    other->serial == dev->serial && !other->remote &&
		    strcmp(other->bdf, dev->bdf) < 0)
			place++;
	}
	return place;
}

/* Ids in the order they are tried; a later one only if no device has an earlier one. */
enum match { BY_ASIC, BY_BOARD_PLACE, BY_UMD_PLACE, BY_BOARD, MATCHES };

static bool device_matches(const struct sample *sample, const struct device *dev, uint64_t id,
			   enum match match)
{
	uint64_t place;

	if (match == BY_ASIC)
		return device_knows(dev, DEV_ASIC_ID) && dev->asic_id == id;
	if (!device_knows(dev, DEV_SERIAL))
		return false;
	if (match == BY_BOARD)
		return !dev->remote && dev->serial == id;
	place = place_on_board(sample, dev);
	return id ==
	       (match == BY_BOARD_PLACE ? dev->serial << 8 | place : dev->serial * 32 + place);
}

/* MATCHES: none has it. */
static enum match find_by_id(const struct sample *sample, uint64_t id, size_t *ret)
{
	for (enum match match = BY_ASIC; match < MATCHES; match++)
		for (size_t i = 0; i < sample->snapshot->n_devices; i++)
			if (device_matches(sample, device_at(sample, i), id, match)) {
				*ret = i;
				return match;
			}
	return MATCHES;
}

/*
 * A dead chip does not tell its id. If just one of the devices that a process
 * holds is such, the file that no other device matches is its.
 */
static bool find_by_holder(const struct sample *sample, const struct process *process, size_t *ret)
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

/* Has the process this pid, here or in a namespace further in? */
static bool has_pid(const struct process *process, int32_t pid)
{
	if (process->pid == pid)
		return true;
	for (unsigned i = 0; i < process->ns_depth; i++)
		if (process->ns_pids[i] == pid)
			return true;
	return false;
}

/* Did it live when the slot was last written? Else its number was given out again. */
static bool is_old_enough(const struct process *process, const struct metal_slot *slot)
{
	return !process_knows(process, PROC_START_TIME) || slot->updated_ns == 0 ||
	       process->start_time <= (double)slot->updated_ns / NS_PER_S + start_slack;
}

/*
 * The process of a slot: a holder with this pid, of this name if several have it.
 * TT-Metal writes comm, which is the first 15 bytes of a name that was not changed.
 */
static const struct process *find_process(const struct snapshot *snapshot,
					  const struct metal_slot *slot)
{
	const struct process *found = NULL;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		bool same;

		if (!has_pid(process, slot->pid) || !is_old_enough(process, slot))
			continue;
		same = strncmp(process->name, slot->name, 15) == 0;
		if (!found || same)
			found = process;
		if (same && process->pid != slot->pid)
			break;
	}
	return found;
}

/* Gone is only what nobody can have: where holders are hidden, it may well live. */
static enum reason leave_reason(const struct device *dev)
{
	if (dev->unseen_holders)
		return device_unseen_reason(dev);
	return dev->holders_known || dev->remote ? STALE : dev->holders_why;
}

/* A forged sum does not wrap into a small one. */
static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static int leave(struct sample *sample, size_t device, const struct metal_slot *slot)
{
	struct leftover leftover = {
		.device = device,
		.pid = slot->pid,
		.dram = add(slot->bytes.dram, slot->bytes.trace),
		.l1 = add(slot->bytes.l1, slot->bytes.l1_small),
		.why = leave_reason(device_at(sample, device)),
	};

	/* An attached process that allocated nothing is nothing to tell of. */
	if (leftover.dram == 0 && leftover.l1 == 0)
		return 0;
	memcpy(leftover.name, slot->name, sizeof(leftover.name));
	return snapshot_add_leftover(sample->snapshot, &leftover);
}

static int take_slot(struct sample *sample, const struct metal_slot *slot, bool has_device,
		     size_t device, uint64_t id)
{
	const struct process *process = find_process(sample->snapshot, slot);
	struct claim claim;

	if (!has_device && process)
		has_device = identity_logical(sample->snapshot, process, id, &device) ||
			     find_by_holder(sample, process, &device);
	if (!has_device && process)
		snapshot_complain(
			sample->snapshot, "metal_shm",
			"/dev/shm/tt_device_%llu_memory: process %d uses it, but it matches no "
			"device",
			(unsigned long long)id, process->pid);
	if (!has_device)
		return 0;
	if (!process)
		return leave(sample, device, slot);
	claim = (struct claim){
		.pid = process->pid,
		.device = device,
		.source = TRACKING_METAL,
		.dram = slot->bytes.dram,
		.l1 = slot->bytes.l1,
		.l1_small = slot->bytes.l1_small,
		.trace = slot->bytes.trace,
		.cb = slot->bytes.cb,
	};
	return sample_claim(sample, &claim);
}

/* Why the figures of a device's processes are not known. */
static void blame(struct sample *sample, bool has_device, size_t device, enum reason why)
{
	if (!has_device)
		return;
	for (size_t i = 0; i < sample->snapshot->n_processes; i++) {
		struct usage *usage = process_find_usage(&sample->snapshot->processes[i], device);

		if (usage)
			usage_blame(usage, why);
	}
}

static int take_file(struct sample *sample, struct shm_files *files, size_t at, bool has_device,
		     size_t device)
{
	unsigned char data[METAL_MAX_SIZE + 1];
	const char *name = files->files[at].name;
	struct metal_counters counters;
	uint32_t version = 0;
	ssize_t n;
	int r;

	n = shm_files_read(files, sample->root, at, data, sizeof(data));
	if (n < 0) {
		snapshot_complain(sample->snapshot, "metal_shm", "/dev/shm/%s: %s", name,
				  strerror((int)-n));
		blame(sample, has_device, device, reason_of_error((int)n));
		return 0;
	}
	r = metal_decode(data, (size_t)n, &counters, &version);
	if (r == -EPROTONOSUPPORT) {
		snapshot_complain(sample->snapshot, "metal_shm", "/dev/shm/%s: unknown version %u",
				  name, version);
		blame(sample, has_device, device, UNKNOWN_VERSION);
		return 0;
	}
	if (r < 0) {
		if (r != -EAGAIN)
			snapshot_complain(sample->snapshot, "metal_shm",
					  "/dev/shm/%s: not understood (%zd bytes)", name, n);
		blame(sample, has_device, device, r == -EAGAIN ? NO_TRACKER : MALFORMED);
		return 0;
	}
	for (size_t i = 0; i < counters.n_slots; i++) {
		r = take_slot(sample, &counters.slots[i], has_device, device, files->files[at].id);
		if (r < 0)
			return r;
	}
	return 0;
}

/* One round over the files: those that belong to a chip by ASIC id, or all others. */
static int take_files(struct sample *sample, struct shm_files *files, bool surely)
{
	int r = 0;

	for (size_t i = 0; i < files->count && r >= 0; i++) {
		size_t device = 0;
		enum match match = find_by_id(sample, files->files[i].id, &device);

		if ((match == BY_ASIC) == surely)
			r = take_file(sample, files, i, match != MATCHES, device);
	}
	return r;
}

/*
 * Two files may be for one chip, under an older id and a newer one. The first claim
 * stays, so those with the surest id come first, whatever the order of the directory.
 */
static int metal_sample(void *state, struct sample *sample)
{
	struct shm_files *files = state;
	int r;

	if (!sample->want->processes)
		return 0;
	r = shm_files_find(files, sample->root);
	if (r >= 0)
		r = take_files(sample, files, true);
	if (r >= 0)
		r = take_files(sample, files, false);
	return r == -ENOENT ? 0 : r;
}

static int metal_open(const struct root *root, void **ret_state)
{
	(void)root;
	return shm_files_open("_memory", ret_state);
}

const struct source source_metal_shm = {
	.name = "metal_shm",
	.help = "memory per process, from TT-Metal's counters in /dev/shm",
	.open = metal_open,
	.sample = metal_sample,
	.close = shm_files_close,
};
