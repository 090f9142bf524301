/*
 * Who has each device open.
 *
 * The driver's pids file lists, per open file, the process that opened it. That
 * is quick and needs no rights, but it is not the last word: after a fork the
 * opener may be dead while its child holds on, and its number may by now belong
 * to a stranger. So each listed process is checked against its descriptors and
 * mappings where we may look. If one fails the check, or the file cannot be read,
 * or the driver has none (before 2.5) or numbers pids by the opener's namespace
 * (before 2.7), all of /proc is walked.
 *
 * If the tracer has pinned its list of open descriptors, the kernel itself tells,
 * of all users' processes and of those that inherited a descriptor too. Then there
 * is no walk, and the driver's list only adds who is listed and keeps the device
 * mapped.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "source/lists.h"
#include "source/bpf_text.h"
#include "source/suspects.h"
#include "source/fd_scan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct holders {
	struct lists lists;
	struct suspects suspects;
	struct fd_scan *scan;
	struct job scan_job;
	bool complete;	    /* the last walk, or the kernel, saw every process */
	bool pids_are_ours; /* the driver's, in our namespace */
};

static int add_holder(struct snapshot *snapshot, int32_t pid, size_t device, enum holding how)
{
	struct process *process = snapshot_add_process(snapshot, pid);

	if (!process || !process_use(process, device))
		return -ENOMEM;
	/* Surer knowledge of one device does not fade by lesser of another. */
	if (!process_knows(process, PROC_HOLDING) || how < process->how)
		process_set_holding(process, how);
	return 0;
}

/* The device of a list, if it is there. */
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

/* Everything a process was seen to hold, also what others opened for it. */
static int add_seen(int32_t pid, const struct open_devices *seen, void *arg)
{
	struct snapshot *snapshot = arg;
	struct process *process;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		int r;

		if (!device_is_served(dev) || !open_devices_has(seen, dev->index))
			continue;
		r = add_holder(snapshot, pid, i, HOLDING_SEEN);
		if (r < 0)
			return r;
	}
	process = snapshot_find_process(snapshot, pid);
	if (!process && seen->n_tables) {
		process = snapshot_add_process(snapshot, pid);
		if (!process)
			return -ENOMEM;
		process_set_holding(process, HOLDING_COUNTERS);
	}
	if (process) {
		memcpy(process->tables, seen->tables, sizeof(process->tables));
		process->n_tables = seen->n_tables;
	}
	return 0;
}

/* Before 2.7 the numbers were those of the opener's namespace. */
static bool has_our_pids(const struct snapshot *snapshot)
{
	unsigned major = 0, minor = 0;

	if (snapshot->host.why[HOST_DRIVER] != KNOWN ||
	    sscanf(snapshot->host.driver, "%3u.%3u", &major, &minor) != 2)
		return true;
	return major > 2 || (major == 2 && minor >= 7);
}

/* The driver lists it, and its descriptors were not seen. */
static int add_listed(struct snapshot *snapshot, const struct suspect *suspect, size_t device)
{
	int r = add_holder(snapshot, suspect->pid, device, HOLDING_LISTED);

	if (r >= 0)
		snapshot_find_process(snapshot, suspect->pid)->unseen_why =
			suspect->late ? TIMED_OUT : reason_of_error(suspect->error);
	return r;
}

/* Takes over one of those listed, unless it proved wrong. */
static int take_suspect(const struct holders *holders, struct sample *sample,
			const struct suspect *suspect)
{
	struct snapshot *snapshot = sample->snapshot;
	int r = 0;

	for (size_t i = 0; i < snapshot->n_devices && r >= 0; i++) {
		const struct device *dev = &snapshot->devices[i];
		enum verdict verdict;

		if (!device_is_served(dev) || !open_devices_has(&suspect->listed, dev->index))
			continue;
		verdict = suspect_judge(suspect, sample->root, dev->index);
		if (verdict == HOLDS)
			return add_seen(suspect->pid, &suspect->known.seen, snapshot);
		if (verdict == MAY_HOLD && holders->pids_are_ours)
			r = add_listed(snapshot, suspect, i);
	}
	return r;
}

/* Takes over what else one list says; *ret_doubt if somebody on it proved wrong. */
static void take_openers(const struct holders *holders, struct sample *sample,
			 const struct openers *list, bool *ret_doubt)
{
	struct device *dev;
	size_t at;

	if (!find_device(sample->snapshot, list->index, &at))
		return;
	dev = &sample->snapshot->devices[at];
	if (!openers_are_read(list)) {
		dev->holders_why = list->late ? TIMED_OUT : reason_of_error(list->error);
		*ret_doubt = true;
		return;
	}
	dev->holders_known = true;
	dev->unseen_holders = list->unseen;
	for (size_t i = 0; i < list->n_pids; i++) {
		const struct suspect *suspect = suspects_find(&holders->suspects, list->pids[i]);
		enum verdict verdict = suspect_judge(suspect, sample->root, list->index);

		*ret_doubt |= verdict == DOES_NOT;
		if (verdict == MAY_HOLD && !holders->pids_are_ours && !holders->complete)
			dev->unseen_holders++; /* whoever has that number here */
	}
}

/* The name that the kernel told with it, should procfs hide the process. */
static void name_process(struct snapshot *snapshot, const struct traced_holder *holder)
{
	struct process *process = snapshot_find_process(snapshot, holder->pid);

	if (!process || !holder->comm[0] || process_knows(process, PROC_NAME))
		return;
	snprintf(process->name, sizeof(process->name), "%s", holder->comm);
	process->why[PROC_NAME] = KNOWN;
}

/* What the tracer, which may look at every process, found it to be. */
static void take_role(struct snapshot *snapshot, const struct traced_holder *holder)
{
	struct process *process = snapshot_find_process(snapshot, holder->pid);

	if (!process || holder->role == TRACED_ROLE_UNKNOWN)
		return;
	process->evidence.told =
		holder->role == TRACED_ROLE_MONITOR ? ROLE_TOLD_MONITOR : ROLE_TOLD_JOB;
	process->evidence.told_start = holder->start_ticks;
}

/*
 * A descriptor that the kernel listed. Where this process may look at the holder's
 * descriptors itself, that look wins: it is newer than the list.
 */
static int take_traced(const struct holders *holders, struct sample *sample,
		       const struct traced_holder *holder)
{
	const struct suspect *suspect = suspects_find(&holders->suspects, holder->pid);
	enum verdict verdict = suspect_judge(suspect, sample->root, holder->device);
	size_t at;
	int r = 0;

	if (!find_device(sample->snapshot, holder->device, &at) || verdict == DOES_NOT)
		return 0;
	if (verdict == MAY_HOLD)
		r = add_holder(sample->snapshot, holder->pid, at, HOLDING_SEEN);
	name_process(sample->snapshot, holder);
	take_role(sample->snapshot, holder);
	return r;
}

static bool device_has_holder(const struct snapshot *snapshot, size_t device)
{
	for (size_t i = 0; i < snapshot->n_processes; i++)
		if (process_find_usage(&snapshot->processes[i], device))
			return true;
	return false;
}

static void lose_opener(struct device *dev)
{
	dev->unseen_holders++;
	dev->lost_openers++;
}

/*
 * Somebody holds on, but the opener is gone and nobody we may look at has it. The
 * opener's number stands for him, unless it is a stranger's by now.
 */
static int take_orphans(const struct holders *holders, struct sample *sample,
			const struct openers *list)
{
	size_t at;
	bool held;
	int r = 0;

	if (!openers_are_read(list) || !find_device(sample->snapshot, list->index, &at))
		return 0;
	held = device_has_holder(sample->snapshot, at);
	if (held && holders->complete)
		return 0; /* whoever inherited it was seen */
	for (size_t i = 0; i < list->n_pids && r >= 0; i++) {
		const struct suspect *suspect = suspects_find(&holders->suspects, list->pids[i]);

		if (suspect_judge(suspect, sample->root, list->index) != DOES_NOT)
			continue;
		/* It lives: then its number is a stranger's by now. */
		if (held || suspect->error == 0 || !holders->pids_are_ours)
			lose_opener(&sample->snapshot->devices[at]);
		else
			r = add_holder(sample->snapshot, list->pids[i], at, HOLDING_OPENER_GONE);
	}
	return r;
}

/* Runs the walk, unless an earlier one still hangs. False: it is late. */
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

static void know_holders(struct snapshot *snapshot, enum reason why)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];

		if (dev->holders_known || !device_is_served(dev))
			continue;
		dev->holders_known = why == KNOWN;
		dev->holders_why = why;
	}
}

/* May there be processes that no walk comes by? */
static bool is_blind(const struct sample *sample)
{
	return sample->root->live && !in_initial_pid_namespace();
}

/*
 * A walk shows all processes only to whoever may look at all of them, and those of
 * other pid namespaces not at all. Of these the driver's list tells, if it has one.
 */
static int scan_all(struct holders *holders, struct sample *sample)
{
	bool complete = false, blind;
	int r;

	if (!run_scan(holders, sample)) {
		know_holders(sample->snapshot, holders->complete ? KNOWN : TIMED_OUT);
		return 0;
	}
	r = fd_scan_each(holders->scan, sample->want->reporters, add_seen, sample->snapshot,
			 &complete);
	if (r < 0)
		return r;
	blind = complete && is_blind(sample);
	know_holders(sample->snapshot, blind ? HIDDEN_BY_NAMESPACE : complete ? KNOWN : DENIED);
	/* Whom a list gives one of our numbers is in sight. */
	holders->complete |= complete && (!blind || holders->pids_are_ours);
	return 0;
}

/* Until somebody tells. */
static void blame_devices(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];

		dev->holders_why = device_absence(dev);
		if (dev->holders_why == KNOWN)
			dev->holders_why = dev->remote ? NO_PCIE : NOT_OFFERED;
	}
}

static int examine_listed(struct holders *holders, struct sample *sample)
{
	CLEANUP_FREE struct listing *listings = NULL;
	size_t count = 0;
	int r;

	r = lists_read(&holders->lists, sample);
	holders->complete = holders->lists.is_traced;
	if (r >= 0)
		r = fd_scan_begin(holders->scan);
	if (r >= 0)
		r = lists_collect(&holders->lists, &listings, &count);
	if (r >= 0)
		r = suspects_examine(&holders->suspects, sample, listings, count);
	return r;
}

static int holders_sample(void *state, struct sample *sample)
{
	struct holders *holders = state;
	const struct suspects *suspects = &holders->suspects;
	const struct lists *lists = &holders->lists;
	bool doubt;
	int r;

	if (!sample->want->processes || sample->snapshot->n_devices == 0)
		return 0;
	blame_devices(sample->snapshot);
	holders->pids_are_ours = has_our_pids(sample->snapshot);
	doubt = !holders->pids_are_ours;
	r = examine_listed(holders, sample);
	/* By pid, so that nobody has to move for another. */
	for (size_t i = 0; i < suspects->count && r >= 0; i++)
		r = take_suspect(holders, sample, suspects->list[i]);
	for (size_t i = 0; i < lists->n_openers && r >= 0; i++)
		take_openers(holders, sample, lists->openers[i], &doubt);
	for (size_t i = 0; i < lists->n_traced && r >= 0; i++)
		r = take_traced(holders, sample, &lists->traced[i]);
	if (holders->complete)
		know_holders(sample->snapshot, KNOWN);
	if (r >= 0 && ((doubt && !holders->complete) || sample->want->reporters))
		r = scan_all(holders, sample);
	for (size_t i = 0; i < lists->n_openers && r >= 0; i++)
		r = take_orphans(holders, sample, lists->openers[i]);
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
	lists_init(&holders->lists, root);
	holders->suspects.scan = holders->scan;
	*ret_state = TAKE_PTR(holders);
	return 0;
}

/* What a job uses that hangs stays. */
static void holders_close(void *state, struct worker_pool *workers)
{
	struct holders *holders = state;
	bool walks = job_is_busy(workers, &holders->scan_job);

	if (suspects_done(&holders->suspects, workers) && !walks)
		fd_scan_free(holders->scan);
	if (lists_done(&holders->lists, workers) && !walks)
		free(holders);
}

const struct source source_holders = {
	.name = "holders",
	.help = "who has a device open, by the driver's list, descriptors and mappings",
	.open = holders_open,
	.sample = holders_sample,
	.close = holders_close,
};
