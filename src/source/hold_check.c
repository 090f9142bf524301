#include "source/hold_check.h"

#include "basic/file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of processes whose directory of descriptors stays open. */
enum { MOST_KEPT = 4096 };

static int by_pid(const void *a, const void *b)
{
	int32_t x = (*(struct hold_check *const *)a)->pid;
	int32_t y = (*(struct hold_check *const *)b)->pid;

	return (x > y) - (x < y);
}

/* Searches the first count entries, which are sorted by pid. */
static struct hold_check *find(const struct hold_checks *checks, size_t count, int32_t pid)
{
	struct hold_check wanted = { .pid = pid }, *key = &wanted, **found = NULL;

	if (count)
		found = bsearch(&key, checks->list, count, sizeof(key), by_pid);
	return found ? *found : NULL;
}

static struct hold_check *check_new(const struct fd_reader *reader, int32_t pid)
{
	struct hold_check *check = calloc(1, sizeof(*check));

	if (!check)
		return NULL;
	check->reader = reader;
	check->pid = check->cache.pid = pid;
	check->fd = -1;
	check->ran_ns = -1;
	return check;
}

static void close_kept(struct hold_check *check)
{
	if (check->fd >= 0)
		close(check->fd);
	check->fd = -1;
}

/* Adds a check for each record that has none from an earlier sample. */
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
			check = check_new(checks->reader, records->list[i].pid);
			if (!check)
				return -ENOMEM;
			grown[checks->count++] = check;
		}
		check->is_reported = true;
	}
	return 0;
}

/*
 * Frees checks that are no longer needed. A check whose job hangs is kept: a second job for the
 * same process would hang as well.
 */
static void drop(struct hold_checks *checks, struct worker_pool *workers, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < checks->count; i++) {
		struct hold_check *check = checks->list[i];

		if ((check->is_reported && !all) || job_is_busy(workers, &check->job)) {
			checks->list[kept++] = check;
			continue;
		}
		close_kept(check);
		free(check);
	}
	checks->count = kept;
	if (kept)
		qsort(checks->list, kept, sizeof(struct hold_check *), by_pid);
}

/*
 * May a process be skipped if its number of descriptors did not change? Not while a device is lost:
 * a process that had it open keeps the same number of descriptors.
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

	if (!check->may_keep)
		close_kept(check);
	if (check->reader->root->live && !check->reader->has_major)
		check->error = -EOPNOTSUPP; /* without it no descriptor can be recognized */
	else
		check->error = open_files_update(check->reader, &check->expected, &check->cache,
						 &check->fd, check->may_keep);
	check->ran_ns = check->clock_ns;
}

/* Of a process whose directory is open. */
static bool is_unchanged(const struct hold_check *check)
{
	if (check->clock_ns >= 0 && check->clock_ns == check->ran_ns)
		return open_files_outlast_idleness(&check->expected, &check->cache);
	return open_files_are_unchanged(check->reader, &check->expected, &check->cache, check->fd);
}

static int run_jobs(struct hold_checks *checks, struct sample *sample,
		    const struct hold_records *records)
{
	CLEANUP_FREE struct job **jobs = calloc(records->count + 1, sizeof(struct job *));
	bool use_cache = may_use_cache(sample);
	size_t count = 0;

	if (!jobs)
		return -ENOMEM;
	if (use_cache && !checks->most_kept)
		checks->most_kept = file_quota(MOST_KEPT);
	for (size_t i = 0; i < records->count; i++) {
		const struct hold_evidence *evidence = &records->list[i].evidence;
		struct hold_check *check = find(checks, checks->count, records->list[i].pid);

		if (job_is_busy(sample->workers, &check->job))
			continue;
		if (!use_cache)
			check->cache = (struct open_files_cache){ .pid = check->pid };
		check->expected = evidence->driver_lists;
		device_set_add_all(&check->expected, &evidence->kernel_lists);
		check->may_keep = use_cache && i < checks->most_kept;
		check->clock_ns =
			check->may_keep ? process_clocks_read(sample->clocks, check->pid) : -1;
		if (check->fd >= 0 && is_unchanged(check))
			continue; /* no job is needed */
		check->ran_ns = -1;
		check->job = (struct job){ .run = check_run, .arg = check };
		jobs[count++] = &check->job;
	}
	if (count)
		worker_pool_run(sample->workers, jobs, count, sample->deadline_ns);
	for (size_t i = 0; i < checks->count; i++)
		checks->list[i]->late = !job_is_done(sample->workers, &checks->list[i]->job);
	return 0;
}

/* Does the process exist, hidden by the mount option hidepid of /proc? */
static bool is_hidden(const struct root *root, int32_t pid)
{
	return root->live && kill(pid, 0) < 0 && errno == EPERM;
}

static void record_result(const struct hold_check *check, const struct root *root,
			  struct hold_record *record)
{
	struct hold_evidence *evidence = &record->evidence;

	if (!check->late && check->error == 0) {
		evidence->access = HOLD_READ;
		evidence->open = check->cache.seen.devices;
		record->tables = check->cache.seen.tables;
		record->program_tables = check->cache.seen.program_tables;
	} else if (!check->late && check->error == -ENOENT && !is_hidden(root, check->pid)) {
		evidence->access = HOLD_NO_PROCESS;
	} else {
		evidence->access = HOLD_HIDDEN;
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
