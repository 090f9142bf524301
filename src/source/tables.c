/*
 * Memory per process as programs with libttalloc publish it: in their own memfd, which is found
 * among the holder's descriptors, so that no server is needed. This works for processes whose
 * descriptors we may read.
 *
 * After a fork a child has its parent's table open too: a table counts only if it names the process
 * in which it was found.
 */
#include "source/source.h"

#include "proto/table.h"
#include "source/identity.h"
#include "source/table_file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* A mapped table. */
struct mapping {
	void *data;
	size_t length;
	struct table_view view;
};

/*
 * The totals come before the slots. Only existing pages of the slots are read: slots are used from
 * the first one on, and reading a hole would allocate it.
 */
static size_t find_length(int fd, bool slots)
{
	const off_t most = TABLE_SLOT_OFFSET + (off_t)TABLE_SLOTS_MAX * sizeof(struct table_slot);
	off_t end = slots ? lseek(fd, TABLE_SLOT_OFFSET, SEEK_HOLE) : 0;

	return (size_t)MIN(MAX(end, (off_t)TABLE_SLOT_OFFSET), most);
}

static int map_table(const struct sample *sample, int32_t pid, int32_t descriptor,
		     struct mapping *ret)
{
	CLEANUP_CLOSE int fd = table_file_open(sample->root, pid, descriptor, TABLE_SLOT_OFFSET);
	size_t length;
	void *data;
	int r;

	if (fd < 0)
		return fd;
	length = find_length(fd, sample->want->allocations);
	data = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	r = table_view_init(&ret->view, data, length);
	if (r < 0) {
		munmap(data, length);
		return r;
	}
	ret->data = data;
	ret->length = length;
	return 0;
}

static int read_report(const struct table_view *view, uint32_t logical, struct memory_report *ret)
{
	ret->has_peak = ret->has_counts = true;
	for (enum pool pool = 0; pool < POOL_COUNT; pool++) {
		struct table_pool_total total;
		int r = table_read_pool(view, logical, pool, &total);

		if (r < 0)
			return r;
		ret->bytes[pool] = total.now_bytes;
		ret->peak[pool] = total.peak_bytes;
		ret->counts[pool].allocs = total.allocs;
		ret->counts[pool].failures = total.failures;
		ret->frees += total.frees;
		ret->changed_ns = MAX(ret->changed_ns, (int64_t)MIN(total.changed_ns, INT64_MAX));
	}
	return 0;
}

/* The lists of one table by logical device; NULL: its device is unknown. */
struct lists {
	struct allocation_list *of[TABLE_DEVICES];
};

static void read_slots(struct sample *sample, const struct table_view *view,
		       const struct lists *lists)
{
	struct table_cursor cursor = { 0 };
	struct table_allocation slot;
	bool full = false;

	while (!full && table_next(view, &cursor, &slot)) {
		const struct allocation allocation = {
			.id = slot.id,
			.size = slot.size,
			.time_ns = (int64_t)MIN(slot.time_ns, INT64_MAX),
			.pool = slot.pool,
		};

		if (slot.device < TABLE_DEVICES && lists->of[slot.device])
			full = !sample_list_add(sample, lists->of[slot.device], &allocation);
	}
	for (uint32_t i = 0; i < TABLE_DEVICES; i++)
		if (lists->of[i])
			lists->of[i]->cut |=
				full || cursor.invalid > 0 || !table_list_is_complete(view);
}

static int take_device(struct sample *sample, const struct process *process,
		       const struct table_view *view, uint32_t logical, struct memory_report *ret)
{
	struct memory_report report = memory_report_make(
		process->pid, view->flags & TABLE_PRELOAD ? TRACKING_PRELOAD : TRACKING_TABLE);
	struct table_device device;
	int r;

	r = table_read_device(view, logical, &device);
	if (r >= 0)
		r = read_report(view, logical, &report);
	if (r < 0) {
		snapshot_add_problem(sample->snapshot, "tables", "process %d, device %u: %s",
				     process->pid, logical, strerror(-r));
		return r;
	}
	if (!identity_reported(sample->snapshot, process, &device, logical, &report.device)) {
		snapshot_add_problem(
			sample->snapshot, "tables",
			"process %d: its device number %u matches no device of this machine",
			process->pid, logical);
		return -ENODEV;
	}
	*ret = report;
	return 0;
}

static int take_devices(struct sample *sample, const struct process *process,
			const struct table_view *view, size_t first)
{
	struct memory_report reports[TABLE_DEVICES];
	struct lists lists = { 0 };
	uint64_t devices = table_devices(view), taken = 0;
	bool unplaced = false;
	int r = 0;

	for (uint32_t i = 0; i < TABLE_DEVICES; i++) {
		if (!(devices >> i & 1))
			continue;
		if (take_device(sample, process, view, i, &reports[i]) < 0) {
			unplaced = true;
			continue;
		}
		reports[i].list = lists.of[i] = sample_list(sample);
		taken |= UINT64_C(1) << i;
	}
	if (sample->want->allocations)
		read_slots(sample, view, &lists);
	/* Also after a failure: sample_report() takes ownership of the list, or frees it. */
	for (uint32_t i = 0; i < TABLE_DEVICES; i++) {
		int reported;

		if (!(taken >> i & 1))
			continue;
		/* It has more memory, on an unknown device. */
		reports[i].low |= unplaced;
		reported = sample_report_part(sample, first, &reports[i]);
		r = MIN(r, reported);
	}
	return r;
}

/* The name that the program set; another table of the process may have set one. */
static void take_program(struct process *process, const struct table_view *view)
{
	char name[TABLE_PROGRAM_MAX];

	if (process_knows(process, PROC_PROGRAM) || table_read_program(view, name) < 0 || !name[0])
		return;
	snprintf(process->program, sizeof(process->program), "%s", name);
	process->why[PROC_PROGRAM] = KNOWN;
}

/* Reports from `first` on belong to this process. */
static int take_table(struct sample *sample, struct process *process, int32_t descriptor,
		      size_t first)
{
	struct mapping mapping;
	int r;

	r = map_table(sample, process->pid, descriptor, &mapping);
	if (r < 0) {
		table_file_report(sample->snapshot, "tables", process->pid, descriptor, r);
		return 0;
	}
	if (table_file_is_own(process, mapping.view.pid, mapping.view.start_ticks)) {
		take_program(process, &mapping.view);
		r = take_devices(sample, process, &mapping.view, first);
	}
	munmap(mapping.data, mapping.length);
	return r;
}

static int tables_sample(void *state, struct sample *sample)
{
	struct snapshot *snapshot = sample->snapshot;
	int r = 0;

	(void)state;
	if (!sample->want->processes)
		return 0;
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		struct process *process = &snapshot->processes[i];
		size_t first = sample->n_reports;

		for (unsigned k = 0; k < process->tables.count && r >= 0; k++)
			r = take_table(sample, process, process->tables.list[k], first);
	}
	return r;
}

const struct source source_tables = {
	.name = "tables",
	.sample = tables_sample,
};
