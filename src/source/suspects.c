#include "source/suspects.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

static int by_pid(const void *a, const void *b)
{
	int32_t x = (*(struct suspect *const *)a)->pid, y = (*(struct suspect *const *)b)->pid;

	return (x > y) - (x < y);
}

static struct suspect *find(const struct suspects *suspects, int32_t pid)
{
	struct suspect wanted = { .pid = pid }, *key = &wanted, **found = NULL;

	if (suspects->count)
		found = bsearch(&key, suspects->list, suspects->count, sizeof(key), by_pid);
	return found ? *found : NULL;
}

const struct suspect *suspects_find(const struct suspects *suspects, int32_t pid)
{
	return find(suspects, pid);
}

static struct suspect *suspect_new(const struct fd_scan *scan, int32_t pid)
{
	struct suspect *suspect = calloc(1, sizeof(*suspect));

	if (!suspect)
		return NULL;
	suspect->scan = scan;
	suspect->pid = suspect->known.pid = pid;
	return suspect;
}

/* Takes those of the last sample along. */
static int add_listed(struct suspects *suspects, const struct listing *listings, size_t count)
{
	struct suspect **grown =
		reallocarray(suspects->list, suspects->count + count + 1, sizeof(*grown));
	struct suspect *suspect = NULL;
	size_t added = 0;

	if (!grown)
		return -ENOMEM;
	suspects->list = grown;
	for (size_t i = 0; i < suspects->count; i++) {
		grown[i]->listed = (struct open_devices){ 0 };
		grown[i]->is_listed = false;
	}
	for (size_t i = 0; i < count; i++) {
		if (!suspect || suspect->pid != listings[i].pid)
			suspect = find(suspects, listings[i].pid);
		if (!suspect) {
			suspect = suspect_new(suspects->scan, listings[i].pid);
			if (!suspect)
				break;
			grown[suspects->count + added++] = suspect;
		}
		open_devices_add(&suspect->listed, listings[i].index);
		suspect->is_listed = true;
	}
	suspects->count += added;
	qsort(grown, suspects->count, sizeof(struct suspect *), by_pid);
	return count && !suspect ? -ENOMEM : 0;
}

/*
 * Forgets who is on no list, or all of them, but for those whose job hangs: a second
 * job would hang as well.
 */
static void drop(struct suspects *suspects, struct worker_pool *workers, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < suspects->count; i++) {
		struct suspect *suspect = suspects->list[i];

		if ((suspect->is_listed && !all) || job_is_busy(workers, &suspect->job))
			suspects->list[kept++] = suspect;
		else
			free(suspect);
	}
	suspects->count = kept;
}

/*
 * May what was seen of a process last time spare a look? Not while a device is lost:
 * who had it open still has as many descriptors.
 */
static bool may_remember(const struct sample *sample)
{
	for (size_t i = 0; i < sample->snapshot->n_devices; i++)
		if (sample->snapshot->devices[i].condition == DEVICE_LOST)
			return false;
	return sample->want->low_rate;
}

/* Looks at the process's descriptors, and at its mappings if those do not tell. */
static void suspect_examine(void *arg)
{
	struct suspect *suspect = arg;

	suspect->error = fd_scan_process(suspect->scan, &suspect->expected, &suspect->known);
}

static int examine(struct suspects *suspects, struct sample *sample)
{
	CLEANUP_FREE struct job **jobs = calloc(suspects->count + 1, sizeof(struct job *));
	bool remember = may_remember(sample);
	size_t count = 0;

	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < suspects->count; i++) {
		struct suspect *suspect = suspects->list[i];

		if (job_is_busy(sample->workers, &suspect->job))
			continue;
		if (!remember)
			suspect->known = (struct fd_scan_cache){ .pid = suspect->pid };
		suspect->expected = suspect->listed;
		suspect->job = (struct job){ .run = suspect_examine, .arg = suspect };
		jobs[count++] = &suspect->job;
	}
	worker_pool_run(sample->workers, jobs, count, sample->deadline_ns);
	for (size_t i = 0; i < suspects->count; i++)
		suspects->list[i]->late = !job_is_done(sample->workers, &suspects->list[i]->job);
	return 0;
}

int suspects_examine(struct suspects *suspects, struct sample *sample,
		     const struct listing *listings, size_t count)
{
	int r = add_listed(suspects, listings, count);

	drop(suspects, sample->workers, false);
	return r < 0 ? r : examine(suspects, sample);
}

/* Does it exist, though /proc hides it from us (hidepid)? */
static bool is_hidden(const struct root *root, int32_t pid)
{
	return root->live && kill(pid, 0) < 0 && errno == EPERM;
}

enum verdict suspect_judge(const struct suspect *suspect, const struct root *root, uint32_t index)
{
	if (!suspect || suspect->late)
		return MAY_HOLD; /* it hangs: the driver's word stands */
	if (suspect->error == 0)
		return open_devices_has(&suspect->known.seen, index) ? HOLDS : DOES_NOT;
	if (suspect->error == -ENOENT && !is_hidden(root, suspect->pid))
		return DOES_NOT;
	return MAY_HOLD;
}

bool suspects_done(struct suspects *suspects, struct worker_pool *workers)
{
	drop(suspects, workers, true);
	free(suspects->list);
	return suspects->count == 0;
}
