/*
 * Memory per process, as programs with libttalloc publish it: a memfd of their
 * own, found among the holder's descriptors, so no server is needed. Only
 * processes whose descriptors we may look at can be read this way.
 *
 * After a fork a child has its parent's table open too: a table is believed only
 * if it names the process that it was found in.
 */
#include "source/source.h"

#include "proto/table.h"
#include "source/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* A mapped table; totals lie before the slots, so these are not mapped. */
struct mapping {
	void *data;
	struct table_view view;
};

static int check_file(int fd)
{
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	/* A file that may shrink could fault us at any time. */
	if (seals < 0 || !(seals & F_SEAL_SHRINK))
		return -EPERM;
	if (fstat(fd, &st) < 0)
		return -errno;
	return st.st_size < (off_t)TABLE_SLOT_OFFSET ? -EBADMSG : 0;
}

static int map_table(const struct sample *sample, int32_t pid, int32_t descriptor,
		     struct mapping *ret)
{
	CLEANUP_CLOSE int fd = -1;
	char path[48];
	void *data;
	int r;

	snprintf(path, sizeof(path), "proc/%d/fd/%d", pid, descriptor);
	fd = openat(sample->root->fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	r = check_file(fd);
	if (r < 0)
		return r;
	data = mmap(NULL, TABLE_SLOT_OFFSET, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	r = table_view_init(&ret->view, data, TABLE_SLOT_OFFSET);
	if (r < 0) {
		munmap(data, TABLE_SLOT_OFFSET);
		return r;
	}
	ret->data = data;
	return 0;
}

/* Written by this process, not by the one it was forked from? */
static bool is_its_own(const struct table_view *view, const struct process *process)
{
	int32_t inner = process->ns_depth ? process->ns_pids[process->ns_depth - 1] : process->pid;

	if (view->start_ticks && process->start_ticks && view->start_ticks != process->start_ticks)
		return false;
	return view->pid == (uint64_t)inner;
}

static int read_claim(const struct table_view *view, uint32_t logical, struct claim *ret)
{
	struct table_pool_total totals[TABLE_POOLS];

	for (enum table_pool pool = 0; pool < TABLE_POOLS; pool++) {
		int r = table_read_pool(view, logical, pool, &totals[pool]);

		if (r < 0)
			return r;
	}
	ret->dram = totals[TABLE_DRAM].now_bytes;
	ret->l1 = totals[TABLE_L1].now_bytes;
	ret->l1_small = totals[TABLE_L1_SMALL].now_bytes;
	ret->trace = totals[TABLE_TRACE].now_bytes;
	ret->cb = totals[TABLE_CB].now_bytes;
	ret->has_peak = true;
	ret->peak_dram = totals[TABLE_DRAM].peak_bytes;
	ret->peak_l1 = totals[TABLE_L1].peak_bytes;
	return 0;
}

static int take_device(struct sample *sample, const struct process *process,
		       const struct table_view *view, uint32_t logical)
{
	struct claim claim = { .pid = process->pid, .source = TRACKING_TABLE };
	struct table_device device;
	int r;

	r = table_read_device(view, logical, &device);
	if (r >= 0)
		r = read_claim(view, logical, &claim);
	if (r < 0) {
		snapshot_complain(sample->snapshot, "tables", "process %d, device %u: %s",
				  process->pid, logical, strerror(-r));
		return 0;
	}
	if (!identity_find(sample->snapshot, &device, &claim.device)) {
		snapshot_complain(sample->snapshot, "tables",
				  "process %d: its device %u is none of this machine", process->pid,
				  logical);
		return 0;
	}
	return sample_claim(sample, &claim);
}

static int take_table(struct sample *sample, const struct process *process, int32_t descriptor)
{
	struct mapping mapping;
	uint64_t devices;
	int r;

	r = map_table(sample, process->pid, descriptor, &mapping);
	if (r == -EAGAIN || r == -ENOENT || r == -EACCES)
		return 0; /* not written yet, closed meanwhile, not ours */
	if (r < 0) {
		snapshot_complain(sample->snapshot, "tables", "process %d, descriptor %d: %s",
				  process->pid, descriptor,
				  r == -EPERM ? "not sealed, so not read" : strerror(-r));
		return 0;
	}
	devices = is_its_own(&mapping.view, process) ? table_devices(&mapping.view) : 0;
	for (uint32_t logical = 0; logical < TABLE_DEVICES && r >= 0; logical++)
		if (devices >> logical & 1)
			r = take_device(sample, process, &mapping.view, logical);
	munmap(mapping.data, TABLE_SLOT_OFFSET);
	return r;
}

static int tables_sample(void *state, struct sample *sample)
{
	const struct snapshot *snapshot = sample->snapshot;
	int r = 0;

	(void)state;
	if (!sample->want->memory)
		return 0;
	for (size_t i = 0; i < snapshot->n_processes; i++)
		for (unsigned k = 0; k < snapshot->processes[i].n_tables && r >= 0; k++)
			r = take_table(sample, &snapshot->processes[i],
				       snapshot->processes[i].tables[k]);
	return r;
}

const struct source source_tables = {
	.name = "tables",
	.help = "memory per process, from the tables that programs with libttalloc publish",
	.sample = tables_sample,
};
