/*
 * Compute utilisation, if a program publishes it in /dev/shm. Nothing is derived from power or
 * clocks. A file that was not written for two seconds, or whose writer has exited, is stale, which
 * is not 0 %. A file counts only if it belongs to root or to the user of a process that has the
 * device open, since any user may create one.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "proto/util_shm.h"
#include "source/identity.h"
#include "source/metal_id.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t fresh_us = 2000000;

/* In a tree every file belongs to the user that unpacked it. */
static bool is_trusted_owner(const struct sample *sample, size_t device, uid_t owner)
{
	if (!sample->root->live || owner == 0)
		return true;
	for (size_t i = 0; i < sample->snapshot->n_processes; i++) {
		const struct process *process = &sample->snapshot->processes[i];

		if (process_knows(process, PROC_UID) && process->uid == owner &&
		    identity_find_hold(sample->snapshot, process, device))
			return true;
	}
	return false;
}

static void mark(struct device *dev, enum reason why)
{
	dev->why[DEV_COMPUTE] = (uint8_t)why;
	dev->why[DEV_DRAM_READ] = dev->why[DEV_DRAM_WRITE] = (uint8_t)why;
}

/* Does the process exist here, or inside a container that holds a device? */
static bool is_alive(const struct sample *sample, uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "proc/%u", pid);
	if (root_access(sample->root, path, F_OK) == 0)
		return true;
	for (size_t i = 0; i < sample->snapshot->n_processes; i++) {
		const struct process *process = &sample->snapshot->processes[i];

		if (process_knows(process, PROC_NS_PID) && (uint32_t)process->ns_pid == pid)
			return true;
	}
	return false;
}

/*
 * Both clocks count from boot; a recorded machine has none. Uses the current time, not that of the
 * sample: the file may have been written since.
 */
static bool is_fresh(const struct sample *sample, const struct util_figures *figures)
{
	uint64_t now = (uint64_t)(clock_now(CLOCK_MONOTONIC) / 1000);

	if (sample->snapshot->recorded)
		return true;
	return figures->updated_us <= now && now - figures->updated_us <= fresh_us &&
	       is_alive(sample, figures->collector);
}

static void take_figures(struct device *dev, const struct util_figures *figures)
{
	if (figures->has_compute) {
		dev->compute = figures->compute;
		dev->why[DEV_COMPUTE] = KNOWN;
	}
	/* What the tracer measures comes first. */
	if (figures->has_dispatch && !device_knows(dev, DEV_DISPATCH)) {
		struct utilization_figure figure = utilization_unknown(NOT_REPORTED);

		figure.value.share = figures->dispatch;
		figure.why[UTIL_SHARE] = KNOWN;
		device_set_utilization(dev, &figure);
	}
	if (figures->has_dram) {
		dev->dram_read = figures->dram_read;
		dev->dram_write = figures->dram_write;
		dev->why[DEV_DRAM_READ] = dev->why[DEV_DRAM_WRITE] = KNOWN;
	}
}

static void take_file(struct sample *sample, const struct metal_ids *ids, size_t at,
		      unsigned char data[static UTIL_MAX_SIZE])
{
	const struct metal_id *found = metal_ids_find(ids, sample->shm->files[at].id);
	struct snapshot *snapshot = sample->snapshot;
	struct util_figures figures;
	struct device *dev;
	uint32_t version = 0;
	char path[SHM_PATH_SIZE];
	uid_t owner = 0;
	ssize_t n;
	int r;

	if (!found)
		return;
	dev = &snapshot->devices[found->device];
	n = shm_folder_read(sample->shm, at, data, UTIL_MAX_SIZE, &owner);
	r = n < 0 ? (int)n : util_decode(data, (size_t)n, &figures, &version);
	if (r < 0) {
		mark(dev, r == -EPROTONOSUPPORT ? UNKNOWN_VERSION : reason_of_error(r));
		shm_path(path, sample->shm->files[at].id, SHM_UTIL);
		snapshot_add_problem(snapshot, "util_shm", "%s: %s", path,
				     reason_text(dev->why[DEV_COMPUTE]));
	} else if (!is_trusted_owner(sample, found->device, owner)) {
		mark(dev, UNTRUSTED_FILE);
	} else if (!is_fresh(sample, &figures)) {
		mark(dev, STALE);
	} else {
		take_figures(dev, &figures);
	}
}

/* Sets why utilisation is unknown, until a file is found. */
static void mark_unpublished(struct device *dev)
{
	enum reason absence = device_absence(dev);

	mark(dev, absence == KNOWN ? NO_TRACKER : absence);
}

static int util_sample(void *state, struct sample *sample)
{
	CLEANUP_FREE unsigned char *data = NULL;
	struct metal_ids ids;
	int r;

	(void)state;
	if (!sample->want->utilization)
		return 0;
	for (size_t i = 0; i < sample->snapshot->n_devices; i++)
		mark_unpublished(&sample->snapshot->devices[i]);
	sample->absent = !shm_folder_has(sample->shm, SHM_UTIL);
	if (sample->absent)
		return 0;
	data = malloc(UTIL_MAX_SIZE);
	if (!data)
		return -ENOMEM;
	r = metal_ids_init(&ids, sample->snapshot);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sample->shm->count; i++)
		if (sample->shm->files[i].kind == SHM_UTIL)
			take_file(sample, &ids, i, data);
	metal_ids_done(&ids);
	return 0;
}

const struct source source_util_shm = {
	.name = "util_shm",
	.sample = util_sample,
};
