#include "source/hold_check.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int by_pid(const void *a, const void *b)
{
	int32_t x = (*(struct hold_check *const *)a)->pid;
	int32_t y = (*(struct hold_check *const *)b)->pid;

	return (x > y) - (x < y);
}

/* Among the first so many, which are by pid. */
static struct hold_check *find(const struct hold_checks *checks, size_t count, int32_t pid)
{
	struct hold_check wanted = { .pid = pid }, *key = &wanted, **found = NULL;

	if (count)
		found = bsearch(&key, checks->list, count, sizeof(key), by_pid);
	return found ? *found : NULL;
}

static struct hold_check *check_new(const struct fd_scan *scan, int32_t pid)
{
	struct hold_check *check = calloc(1, sizeof(*check));

	if (!check)
		return NULL;
	check->scan = scan;
	check->pid = check->cache.pid = pid;
	return check;
}

/* Checks of the last sample are used again. */
static int add_reported(struct hold_checks *checks, const struct hold_records *records)
{
	size_t known = checks->count;
	struct hold_check **grown =
		reallocarray(checks->list, known + records->count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	checks->list = grown;
	for (size_t i = 0; i < known; i++)
		grown[i]->is_reported = false;
	for (size_t i = 0; i < records->count; i++) {
		struct hold_check *check = find(checks, known, records->list[i].pid);

		if (!check) {
			check = check_new(checks->scan, records->list[i].pid);
			if (!check)
				return -ENOMEM;
			grown[checks->count++] = check;
		}
		check->is_reported = true;
	}
	return 0;
}

/* A check whose job hangs is kept: a second job would hang as well. */
static void drop(struct hold_checks *checks, struct worker_pool *workers, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < checks->count; i++) {
		struct hold_check *check = checks->list[i];

		if ((check->is_reported && !all) || job_is_busy(workers, &check->job))
			checks->list[kept++] = check;
		else
			free(check);
	}
	checks->count = kept;
	if (kept)
		qsort(checks->list, kept, sizeof(struct hold_check *), by_pid);
}

/*
 * May an unchanged number of descriptors spare a look? Not while a device is lost: the number
 * of a process that had it open stays the same.
 */
static bool may_use_cache(const struct sample *sample)
{
	for (size_t i = 0; i < sample->snapshot->n_devices; i++)
		if (sample->snapshot->devices[i].state == DEVICE_LOST)
			return false;
	return sample->want->low_rate;
}

static void check_run(void *arg)
{
	struct hold_check *check = arg;

	check->error = fd_scan_process(check->scan, &check->expected, &check->cache);
}

static int run_jobs(struct hold_checks *checks, struct sample *sample,
		    const struct hold_records *records)
{
	CLEANUP_FREE struct job **jobs = calloc(records->count + 1, sizeof(struct job *));
	bool use_cache = may_use_cache(sample);
	size_t count = 0;

	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < records->count; i++) {
		const struct hold_evidence *evidence = &records->list[i].evidence;
		struct hold_check *check = find(checks, checks->count, records->list[i].pid);

		if (job_is_busy(sample->workers, &check->job))
			continue;
		if (!use_cache)
			check->cache = (struct fd_scan_cache){ .pid = check->pid };
		check->expected = evidence->driver_lists;
		device_set_add_all(&check->expected, &evidence->kernel_lists);
		check->job = (struct job){ .run = check_run, .arg = check };
		jobs[count++] = &check->job;
	}
	worker_pool_run(sample->workers, jobs, count, sample->deadline_ns);
	for (size_t i = 0; i < checks->count; i++)
		checks->list[i]->late = !job_is_done(sample->workers, &checks->list[i]->job);
	return 0;
}

/* Does the process exist, though /proc hides it (hidepid)? */
static bool is_hidden(const struct root *root, int32_t pid)
{
	return root->live && kill(pid, 0) < 0 && errno == EPERM;
}

static void record_result(const struct hold_check *check, const struct root *root,
			  struct hold_record *record)
{
	struct hold_evidence *evidence = &record->evidence;

	if (!check->late && check->error == 0) {
		evidence->look = HOLD_LOOKED;
		evidence->open = check->cache.seen.devices;
		memcpy(record->tables, check->cache.seen.tables, sizeof(record->tables));
		record->n_tables = check->cache.seen.n_tables;
	} else if (!check->late && check->error == -ENOENT && !is_hidden(root, check->pid)) {
		evidence->look = HOLD_NO_PROCESS;
	} else {
		evidence->look = HOLD_HIDDEN;
		evidence->why_hidden = check->late ? TIMED_OUT : reason_of_error(check->error);
	}
}

int hold_checks_run(struct hold_checks *checks, struct sample *sample, struct hold_records *records)
{
	int r = add_reported(checks, records);

	drop(checks, sample->workers, false);
	if (r >= 0)
		r = run_jobs(checks, sample, records);
	for (size_t i = 0; i < records->count && r >= 0; i++)
		record_result(find(checks, checks->count, records->list[i].pid), sample->root,
			      &records->list[i]);
	return r;
}

bool hold_checks_done(struct hold_checks *checks, struct worker_pool *workers)
{
	drop(checks, workers, true);
	free(checks->list);
	return checks->count == 0;
}
