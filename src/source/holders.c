/*
 * Finds the processes that have each device open.
 *
 * The reports (source/reported_holders.h) are read first: the driver's lists, which are fast and
 * need no privileges, and the kernel's list, if programs are traced. Each reported process is then
 * checked against its descriptors and mappings (source/hold_check.h). If a report proves wrong, or
 * the driver has no list (before 2.5), or it has pids of other namespaces (before 2.7), the
 * descriptors of all processes are read (source/fd_scan.h), unless the kernel listed them.
 *
 * All evidence is collected in one record per process (source/hold_record.h), which model/hold.h
 * finally judges.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "source/bpf_text.h"
#include "source/fd_scan.h"
#include "source/hold_check.h"
#include "source/hold_record.h"
#include "source/reported_holders.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Most processes whose directory of descriptors stays open in a scan of all, per share. */
enum { MOST_KEPT = 8192 };

struct holders {
	struct reported_holders reported;
	struct hold_checks checks;
	struct fd_scan *scan;
	struct job scan_job;
	struct hold_records records;
	size_t share; /* of descriptors; 0: not known yet */
	bool saw_all; /* every process was examined, by the last scan or by the kernel */
};

/* ---- collecting evidence ---- */

/* Drivers before 2.7 list pids of the opener's namespace. */
static bool has_foreign_pids(const struct snapshot *snapshot)
{
	unsigned major = 0, minor = 0;

	if (snapshot->host.why[HOST_DRIVER] != KNOWN ||
	    sscanf(snapshot->host.driver, "%3u.%3u", &major, &minor) != 2)
		return false;
	return major < 2 || (major == 2 && minor < 7);
}

/*
 * How many directories the scan may keep open. Without the driver's lists also the share of
 * hold_check, which then has nothing to check.
 */
static size_t most_kept(struct holders *holders, const struct sample *sample)
{
	const struct reported_holders *reported = &holders->reported;
	unsigned shares = 2;

	if (!sample->want->low_rate)
		return 0;
	for (size_t i = 0; i < reported->n_driver; i++)
		if (driver_pids_are_read(reported->driver[i]))
			shares = 1;
	if (!holders->share)
		holders->share = file_quota(MOST_KEPT);
	return shares * holders->share;
}

static int check_reported(struct holders *holders, struct sample *sample, bool foreign_pids)
{
	int r;

	r = reported_holders_read(&holders->reported, sample);
	holders->saw_all = holders->reported.kernel_lists;
	if (r >= 0)
		r = fd_scan_begin(holders->scan, most_kept(holders, sample));
	if (r >= 0)
		r = reported_holders_record(&holders->reported, foreign_pids, &holders->records);
	if (r >= 0)
		r = hold_checks_run(&holders->checks, sample, &holders->records);
	return r;
}

/* False: an earlier scan still hangs, or this one does. */
static bool run_scan(struct holders *holders, struct sample *sample)
{
	/* Ten thousand processes take half a second. */
	static const int64_t deadline_ns = 5 * NS_PER_S;
	struct job *job = &holders->scan_job;

	if (job_is_busy(sample->workers, job))
		return false;
	*job = (struct job){ .run = fd_scan_run, .arg = holders->scan };
	return worker_pool_run(sample->workers, &job, 1, deadline_ns);
}

static int record_scanned(int32_t pid, const struct open_files *seen, void *arg)
{
	struct hold_record *record = hold_records_get(arg, pid);

	if (!record)
		return -ENOMEM;
	device_set_add_all(&record->evidence.open, &seen->devices);
	record->evidence.access = HOLD_READ;
	record->evidence.why_hidden = KNOWN;
	record->tables = seen->tables;
	record->program_tables = seen->program_tables;
	return 0;
}

/* Sets the result for the devices whose driver's list was not read. */
static void set_others_known(struct snapshot *snapshot, enum reason why)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];

		if (dev->holders_known || !device_is_served(dev))
			continue;
		dev->holders_known = why == KNOWN;
		dev->holders_why = why;
	}
}

/*
 * A scan is complete only for a user who may read the descriptors of all processes, and it never
 * shows those outside our pid namespace. The driver's list counts these, if it has one.
 */
static int scan_all(struct holders *holders, struct sample *sample, bool foreign_pids)
{
	bool complete = false, outside;
	int r;

	if (!run_scan(holders, sample)) {
		set_others_known(sample->snapshot, holders->saw_all ? KNOWN : TIMED_OUT);
		return 0;
	}
	r = fd_scan_each(holders->scan, sample->want->reporters, record_scanned, &holders->records,
			 &complete);
	hold_records_sort(&holders->records);
	if (r < 0)
		return r;
	outside = complete && sample->root->live && !in_initial_pid_namespace();
	set_others_known(sample->snapshot, outside    ? HIDDEN_BY_NAMESPACE
					   : complete ? KNOWN
						      : DENIED);
	/* A process that the driver lists with a pid is inside our namespace. */
	holders->saw_all |= complete && (!outside || !foreign_pids);
	return 0;
}

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

/* Sets why the holders of each device are unknown, until they are found. */
static void init_devices(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];

		dev->holders_why = device_absence(dev);
		if (dev->holders_why == KNOWN)
			dev->holders_why = dev->remote ? NO_PCIE : NOT_OFFERED;
	}
}

/* Returns whether all lists were read. */
static bool fill_from_lists(const struct reported_holders *reported, struct snapshot *snapshot)
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

/* Is there an entry in a driver's list without a process that belongs to it? */
static bool has_orphans(const struct hold_records *records, const struct snapshot *snapshot)
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
static int fill_process(const struct holders *holders, struct sample *sample,
			const struct hold_record *record, bool *held)
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
		} else if (state == HOLD_FOREIGN && !holders->saw_all) {
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

static int fill_orphans(const struct holders *holders, struct snapshot *snapshot,
			const struct hold_record *record, const bool *held)
{
	int r = 0;

	for (size_t i = 0; i < snapshot->n_devices && r >= 0; i++) {
		struct device *dev = &snapshot->devices[i];
		enum hold_state state = hold_judge(&record->evidence, dev->index);

		if (!device_is_served(dev) || !hold_is_orphan(state))
			continue;
		switch (hold_judge_orphan(state, held[i], holders->saw_all)) {
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

static int fill_processes(const struct holders *holders, struct sample *sample)
{
	const struct hold_records *records = &holders->records;
	CLEANUP_FREE bool *held = calloc(sample->snapshot->n_devices, sizeof(*held));
	int r = held ? 0 : -ENOMEM;

	/* Sorted by pid, so that each is appended. */
	for (size_t i = 0; i < records->count && r >= 0; i++)
		r = fill_process(holders, sample, &records->list[i], held);
	for (size_t i = 0; i < records->count && r >= 0; i++)
		if (hold_may_have_orphans(&records->list[i].evidence))
			r = fill_orphans(holders, sample->snapshot, &records->list[i], held);
	return r;
}

/* ---- the source ---- */

static int holders_prepare(void *state, struct sample *sample)
{
	struct holders *holders = state;

	if (!sample->want->processes || !sample->want->low_rate)
		return 0;
	return reported_holders_expect(&holders->reported, sample);
}

static int find_holders(struct holders *holders, struct sample *sample)
{
	struct snapshot *snapshot = sample->snapshot;
	bool foreign_pids = has_foreign_pids(snapshot), lists_suffice;
	int r;

	init_devices(snapshot);
	r = check_reported(holders, sample, foreign_pids);
	if (r < 0)
		return r;
	lists_suffice = fill_from_lists(&holders->reported, snapshot) && !foreign_pids &&
			!has_orphans(&holders->records, snapshot);
	if (holders->saw_all)
		set_others_known(snapshot, KNOWN);
	if ((!lists_suffice && !holders->saw_all) || sample->want->reporters)
		r = scan_all(holders, sample, foreign_pids);
	return r < 0 ? r : fill_processes(holders, sample);
}

static int holders_sample(void *state, struct sample *sample)
{
	struct holders *holders = state;
	int r = 0;

	if (sample->want->processes && sample->snapshot->n_devices)
		r = find_holders(holders, sample);
	hold_records_done(&holders->records);
	return r;
}

static int holders_open(const struct root *root, void **ret_state)
{
	CLEANUP_FREE struct holders *holders = calloc(1, sizeof(*holders));
	int r;

	if (!holders)
		return -ENOMEM;
	r = fd_scan_new(root, &holders->scan);
	if (r < 0)
		return r;
	reported_holders_init(&holders->reported, root);
	holders->checks.reader = fd_scan_reader(holders->scan);
	*ret_state = TAKE_PTR(holders);
	return 0;
}

/* The memory used by a hanging job is not freed. */
static void holders_close(void *state, struct worker_pool *workers)
{
	struct holders *holders = state;
	bool scans = job_is_busy(workers, &holders->scan_job);

	hold_records_done(&holders->records);
	if (hold_checks_done(&holders->checks, workers) && !scans)
		fd_scan_free(holders->scan);
	if (reported_holders_done(&holders->reported, workers) && !scans)
		free(holders);
}

const struct source source_holders = {
	.name = "holders",
	.help = "which processes have a device open: driver's list, descriptors, mappings",
	.open = holders_open,
	.prepare = holders_prepare,
	.sample = holders_sample,
	.close = holders_close,
};
