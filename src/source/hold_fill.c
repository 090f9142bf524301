#include "source/hold_fill.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the devices ---- */

static bool find_device(const struct snapshot *snapshot, uint32_t index, size_t *ret_at)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (snapshot->devices[i].index == index &&
		    device_is_served(&snapshot->devices[i])) {
			*ret_at = i;
			return true;
		}
	return false;
}

void hold_fill_begin(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];

		dev->holders_why = device_absence(dev);
		if (dev->holders_why == KNOWN)
			dev->holders_why = dev->remote ? NO_PCIE : NOT_OFFERED;
	}
}

bool hold_fill_from_lists(const struct reported_holders *reported, struct snapshot *snapshot)
{
	bool all = true;

	for (size_t i = 0; i < reported->n_driver; i++) {
		const struct driver_pids *list = reported->driver[i];
		struct device *dev;
		size_t at;

		if (!find_device(snapshot, list->index, &at))
			continue;
		dev = &snapshot->devices[at];
		dev->holders_known = driver_pids_are_read(list);
		if (dev->holders_known) {
			dev->unseen_holders = list->unseen;
		} else {
			dev->holders_why = list->late ? TIMED_OUT : reason_of_error(list->error);
			all = false;
		}
	}
	return all;
}

bool hold_has_orphans(const struct hold_records *records, const struct snapshot *snapshot)
{
	for (size_t r = 0; r < records->count; r++) {
		const struct hold_evidence *evidence = &records->list[r].evidence;

		if (!hold_may_have_orphans(evidence))
			continue;
		for (size_t i = 0; i < snapshot->n_devices; i++) {
			const struct device *dev = &snapshot->devices[i];

			if (device_is_served(dev) &&
			    hold_is_orphan(hold_judge(evidence, dev->index)))
				return true;
		}
	}
	return false;
}

void hold_fill_others(struct snapshot *snapshot, enum reason why)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];

		if (dev->holders_known || !device_is_served(dev))
			continue;
		dev->holders_known = why == KNOWN;
		dev->holders_why = why;
	}
}

/* ---- the processes ---- */

static struct process *add_process(struct snapshot *snapshot, const struct hold_record *record)
{
	struct process *process = snapshot_find_process(snapshot, record->pid);

	if (process)
		return process;
	process = snapshot_add_process(snapshot, record->pid);
	if (!process)
		return NULL;
	process->evidence = record->evidence;
	process->tables = record->tables;
	process->program_tables = record->program_tables;
	/* procfs may hide the process from us. */
	if (record->comm[0]) {
		snprintf(process->name, sizeof(process->name), "%s", record->comm);
		process->why[PROC_NAME] = KNOWN;
	}
	return process;
}

static int add_holder(struct snapshot *snapshot, const struct hold_record *record, size_t device,
		      enum holding how)
{
	struct process *process = add_process(snapshot, record);

	if (!process || !process_use(process, device))
		return -ENOMEM;
	/* The process is shown with its most certain device. */
	if (!process_knows(process, PROC_HOLDING) || how < process->holding)
		process_set_holding(process, how);
	return 0;
}

/* Adds all devices of a record, except orphans. */
static int fill_process(struct sample *sample, const struct hold_record *record, bool saw_all,
			bool *held)
{
	const struct device_set named = hold_named_devices(&record->evidence);
	struct snapshot *snapshot = sample->snapshot;
	bool holds = false;
	int r = 0;

	for (size_t i = 0; i < snapshot->n_devices && r >= 0; i++) {
		struct device *dev = &snapshot->devices[i];
		enum hold_state state;

		if (!device_set_has(&named, dev->index) || !device_is_served(dev))
			continue;
		state = hold_judge(&record->evidence, dev->index);
		if (state == HOLD_SEEN || state == HOLD_LISTED) {
			r = add_holder(snapshot, record, i,
				       state == HOLD_SEEN ? HOLDING_SEEN : HOLDING_LISTED);
			held[i] = holds = true;
		} else if (state == HOLD_FOREIGN && !saw_all) {
			dev->unseen_holders++;
		}
	}
	if (r >= 0 && !holds && record->tables.count && sample->want->reporters) {
		struct process *process = add_process(snapshot, record);

		if (!process)
			return -ENOMEM;
		process_set_holding(process, HOLDING_COUNTERS);
	}
	return r;
}

static int fill_orphans(struct snapshot *snapshot, const struct hold_record *record, bool saw_all,
			const bool *held)
{
	int r = 0;

	for (size_t i = 0; i < snapshot->n_devices && r >= 0; i++) {
		struct device *dev = &snapshot->devices[i];
		enum hold_state state = hold_judge(&record->evidence, dev->index);

		if (!device_is_served(dev) || !hold_is_orphan(state))
			continue;
		switch (hold_judge_orphan(state, held[i], saw_all)) {
		case ORPHAN_EXPLAINED: break;
		case ORPHAN_STANDS_IN:
			r = add_holder(snapshot, record, i, HOLDING_OPENER_GONE);
			break;
		case ORPHAN_UNKNOWN:
			dev->unseen_holders++;
			dev->lost_openers++;
			break;
		}
	}
	return r;
}

int hold_fill_processes(const struct hold_records *records, bool saw_all, struct sample *sample)
{
	CLEANUP_FREE bool *held = calloc(sample->snapshot->n_devices, sizeof(*held));
	int r = held ? 0 : -ENOMEM;

	/* Sorted by pid, so that each is appended. */
	for (size_t i = 0; i < records->count && r >= 0; i++)
		r = fill_process(sample, &records->list[i], saw_all, held);
	for (size_t i = 0; i < records->count && r >= 0; i++)
		if (hold_may_have_orphans(&records->list[i].evidence))
			r = fill_orphans(sample->snapshot, &records->list[i], saw_all, held);
	return r;
}
