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
 * finally judges; source/hold_fill.h writes the result into the snapshot.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "source/bpf_text.h"
#include "source/fd_scan.h"
#include "source/hold_check.h"
#include "source/hold_fill.h"
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

/*
 * A scan is complete only for a user who may read the descriptors of all processes, and it never
 * shows those outside our pid namespace. The driver's list counts these, if it has one.
 */
static int scan_all(struct holders *holders, struct sample *sample, bool foreign_pids)
{
	bool complete = false, outside;
	int r;

	if (!run_scan(holders, sample)) {
		hold_fill_others(sample->snapshot, holders->saw_all ? KNOWN : TIMED_OUT);
		return 0;
	}
	r = fd_scan_each(holders->scan, sample->want->reporters, record_scanned, &holders->records,
			 &complete);
	hold_records_sort(&holders->records);
	if (r < 0)
		return r;
	outside = complete && sample->root->live && !in_initial_pid_namespace();
	hold_fill_others(sample->snapshot, outside    ? HIDDEN_BY_NAMESPACE
					   : complete ? KNOWN
						      : DENIED);
	/* A process that the driver lists with a pid is inside our namespace. */
	holders->saw_all |= complete && (!outside || !foreign_pids);
	return 0;
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

	hold_fill_begin(snapshot);
	r = check_reported(holders, sample, foreign_pids);
	if (r < 0)
		return r;
	lists_suffice = hold_fill_from_lists(&holders->reported, snapshot) && !foreign_pids &&
			!hold_has_orphans(&holders->records, snapshot);
	if (holders->saw_all)
		hold_fill_others(snapshot, KNOWN);
	if ((!lists_suffice && !holders->saw_all) || sample->want->reporters)
		r = scan_all(holders, sample, foreign_pids);
	return r < 0 ? r : hold_fill_processes(&holders->records, holders->saw_all, sample);
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
	.open = holders_open,
	.prepare = holders_prepare,
	.sample = holders_sample,
	.close = holders_close,
};
