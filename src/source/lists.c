#include "source/lists.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void lists_init(struct lists *lists, const struct root *root)
{
	*lists = (struct lists){ 0 };
	bpf_text_init(&lists->pinned, root, TRACED_HOLDERS);
}

static struct openers *find_openers(struct lists *lists, const struct root *root, uint32_t index)
{
	struct openers **grown, *list;

	for (size_t i = 0; i < lists->n_openers; i++)
		if (lists->openers[i]->index == index)
			return lists->openers[i];
	grown = reallocarray(lists->openers, lists->n_openers + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	lists->openers = grown;
	list = calloc(1, sizeof(*list));
	if (!list)
		return NULL;
	openers_init(list, root, index);
	return lists->openers[lists->n_openers++] = list;
}

/* The list of a device that is gone says nothing of the one that comes next. */
static void forget_openers(struct lists *lists, struct worker_pool *workers, uint32_t index)
{
	for (size_t i = 0; i < lists->n_openers; i++) {
		struct openers *list = lists->openers[i];

		if (list->index == index && !job_is_busy(workers, &list->job))
			openers_forget(list);
	}
}

/* Forgets whoever the kernel told of last time. */
static void drop_traced(struct lists *lists)
{
	free(lists->traced);
	lists->traced = NULL;
	lists->n_traced = 0;
	lists->is_traced = false;
}

/* Leaves out ourselves, and second descriptors of the same device. */
static void tidy_traced(struct lists *lists, const struct root *root)
{
	struct traced_holder *list = lists->traced;
	size_t kept = 0;

	for (size_t i = 0; i < lists->n_traced; i++) {
		/* Whoever started us may have left us a descriptor. */
		if (root->live && list[i].pid == getpid())
			continue;
		if (kept && list[kept - 1].pid == list[i].pid &&
		    list[kept - 1].device == list[i].device)
			continue;
		list[kept++] = list[i];
	}
	lists->n_traced = kept;
}

static int take_pinned_text(struct lists *lists, struct sample *sample)
{
	const char *text = bpf_text_get(&lists->pinned, sample);
	int r;

	if (!text)
		return 0;
	r = traced_parse_holders(text, &lists->traced, &lists->n_traced);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		bpf_text_complain(&lists->pinned, sample, r);
		return 0;
	}
	tidy_traced(lists, sample->root);
	lists->is_traced = true;
	return 0;
}

int lists_read(struct lists *lists, struct sample *sample)
{
	struct snapshot *snapshot = sample->snapshot;
	CLEANUP_FREE struct job **jobs = calloc(snapshot->n_devices + 1, sizeof(struct job *));
	struct job *pinned = bpf_text_job(&lists->pinned, sample->workers);
	size_t count = 0;

	drop_traced(lists);
	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		struct openers *list;

		if (device_has_node(dev) && !device_is_served(dev))
			forget_openers(lists, sample->workers, dev->index);
		if (!device_is_served(dev))
			continue;
		list = find_openers(lists, sample->root, dev->index);
		if (!list)
			return -ENOMEM;
		if (job_is_busy(sample->workers, &list->job))
			continue;
		list->job = (struct job){ .run = openers_read, .arg = list };
		jobs[count++] = &list->job;
	}
	if (pinned)
		jobs[count++] = pinned;
	worker_pool_run(sample->workers, jobs, count, sample->deadline_ns);
	for (size_t i = 0; i < lists->n_openers; i++)
		lists->openers[i]->late = !job_is_done(sample->workers, &lists->openers[i]->job);
	return take_pinned_text(lists, sample);
}

static int by_pid(const void *a, const void *b)
{
	int32_t x = ((const struct listing *)a)->pid, y = ((const struct listing *)b)->pid;

	return (x > y) - (x < y);
}

int lists_collect(const struct lists *lists, struct listing **ret, size_t *ret_count)
{
	size_t count = 0, room = lists->n_traced;
	struct listing *all;

	for (size_t i = 0; i < lists->n_openers; i++)
		if (openers_are_read(lists->openers[i]))
			room += lists->openers[i]->n_pids;
	all = calloc(room + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < lists->n_openers; i++) {
		const struct openers *list = lists->openers[i];

		for (size_t k = 0; openers_are_read(list) && k < list->n_pids; k++)
			all[count++] = (struct listing){ list->pids[k], list->index };
	}
	for (size_t i = 0; i < lists->n_traced; i++)
		all[count++] = (struct listing){ lists->traced[i].pid, lists->traced[i].device };
	qsort(all, count, sizeof(*all), by_pid);
	*ret = all;
	*ret_count = count;
	return 0;
}

bool lists_done(struct lists *lists, struct worker_pool *workers)
{
	for (size_t i = 0; i < lists->n_openers; i++) {
		struct openers *list = lists->openers[i];

		if (job_is_busy(workers, &list->job))
			continue;
		openers_done(list);
		free(list);
	}
	free(lists->openers);
	free(lists->traced);
	if (job_is_busy(workers, &lists->pinned.job))
		return false;
	bpf_text_done(&lists->pinned, workers);
	return true;
}
