/*
 * Compute utilisation, where somebody publishes it in /dev/shm. Nothing is derived
 * from power or clocks. A file that was not written for two seconds, or whose
 * writer is gone, is stale, which is not 0 %.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "proto/util_shm.h"
#include "source/shm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t fresh_us = 2000000;

static struct device *find_device(struct snapshot *snapshot, uint64_t asic_id)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (device_knows(&snapshot->devices[i], DEV_ASIC_ID) &&
		    snapshot->devices[i].asic_id == asic_id)
			return &snapshot->devices[i];
	return NULL;
}

static void mark(struct device *dev, enum reason why)
{
	dev->why[DEV_COMPUTE] = dev->why[DEV_DISPATCH] = (uint8_t)why;
	dev->why[DEV_DRAM_READ] = dev->why[DEV_DRAM_WRITE] = (uint8_t)why;
}

/* Here, or inside a container that holds a device? */
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
 * Its clock counts from the machine's start, ours too; a recorded machine has none.
 * Not the time at which the sample began: it may have been written since.
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
	if (figures->has_dispatch) {
		dev->dispatch = figures->dispatch;
		dev->why[DEV_DISPATCH] = KNOWN;
	}
	if (figures->has_dram) {
		dev->dram_read = figures->dram_read;
		dev->dram_write = figures->dram_write;
		dev->why[DEV_DRAM_READ] = dev->why[DEV_DRAM_WRITE] = KNOWN;
	}
}

static int take_file(struct sample *sample, struct shm_files *files, size_t at)
{
	CLEANUP_FREE unsigned char *data = malloc(UTIL_MAX_SIZE);
	struct device *dev = find_device(sample->snapshot, files->files[at].id);
	struct util_figures figures;
	uint32_t version = 0;
	ssize_t n;
	int r;

	if (!data)
		return -ENOMEM;
	if (!dev)
		return 0;
	n = shm_files_read(files, sample->root, at, data, UTIL_MAX_SIZE);
	r = n < 0 ? (int)n : util_decode(data, (size_t)n, &figures, &version);
	if (r < 0) {
		mark(dev, r == -EPROTONOSUPPORT ? UNKNOWN_VERSION : reason_of_error(r));
		snapshot_complain(sample->snapshot, "util_shm", "/dev/shm/%s: %s",
				  files->files[at].name, reason_text(dev->why[DEV_COMPUTE]));
	} else if (!is_fresh(sample, &figures)) {
		mark(dev, STALE);
	} else {
		take_figures(dev, &figures);
	}
	return 0;
}

static int util_sample(void *state, struct sample *sample)
{
	struct shm_files *files = state;
	int r;

	if (!sample->want->utilization)
		return 0;
	for (size_t i = 0; i < sample->snapshot->n_devices; i++)
		mark(&sample->snapshot->devices[i], NO_TRACKER);
	r = shm_files_find(files, sample->root);
	for (size_t i = 0; i < files->count && r >= 0; i++)
		r = take_file(sample, files, i);
	return r == -ENOENT ? 0 : r;
}

static int util_open(const struct root *root, void **ret_state)
{
	(void)root;
	return shm_files_open("_util", ret_state);
}

const struct source source_util_shm = {
	.name = "util_shm",
	.help = "compute utilisation, where somebody publishes it in /dev/shm",
	.open = util_open,
	.sample = util_sample,
	.close = shm_files_close,
};
