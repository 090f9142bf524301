#include "model/owner_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const owner_kind_names[OWNER_KINDS] = {
	[OWNER_SLURM] = "slurm", [OWNER_POD] = "pod",	      [OWNER_CONTAINER] = "container",
	[OWNER_USER] = "user",	 [OWNER_UNKNOWN] = "unknown",
};

const enum pool owner_pools[OWNER_POOLS] = { POOL_DRAM, POOL_L1 };

enum owner_kind owner_kind_of(const struct process *process)
{
	if (process_knows(process, PROC_SLURM_JOB))
		return OWNER_SLURM;
	if (process_knows(process, PROC_POD))
		return OWNER_POD;
	if (process_knows(process, PROC_CONTAINER))
		return OWNER_CONTAINER;
	return process_knows(process, PROC_UID) ? OWNER_USER : OWNER_UNKNOWN;
}

const char *owner_pod(const struct process *process)
{
	return process_knows(process, PROC_POD_NAME) ? process->owner.pod_name : process->owner.pod;
}

const char *owner_container(const struct process *process)
{
	return process_knows(process, PROC_CONTAINER_NAME) ? process->owner.container_name
							   : process->owner.container;
}

bool owner_counts(const struct process *process)
{
	if (process->role != ROLE_JOB)
		return false;
	for (size_t i = 0; i < process->n_usages; i++)
		if (!process->usages[i].stale)
			return true;
	return false;
}

/* ---- grouping ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static uint32_t user_of(const struct process *process)
{
	return process_knows(process, PROC_UID) ? process->uid : UINT32_MAX;
}

/*
 * Compares the labels of the owners; 0: the same owner. A pod that was deleted and made again has
 * the same labels as its predecessor, whose processes may still run, but another uid and other
 * containers.
 */
static int compare_owners(const struct process *a, const struct process *b)
{
	enum owner_kind kind = owner_kind_of(a);
	int r = compare_numbers(kind, owner_kind_of(b));

	if (!r)
		r = compare_numbers(user_of(a), user_of(b));
	if (!r && kind == OWNER_SLURM)
		r = compare_texts(a->owner.slurm_job, b->owner.slurm_job);
	if (!r && kind == OWNER_POD)
		r = compare_texts(a->owner.namespace, b->owner.namespace);
	if (!r && kind == OWNER_POD)
		r = compare_texts(owner_pod(a), owner_pod(b));
	if (!r && (kind == OWNER_POD || kind == OWNER_CONTAINER))
		r = compare_texts(owner_container(a), owner_container(b));
	return r;
}

static int order_processes(const void *a, const void *b)
{
	const struct process *const *one = a, *const *two = b;
	int r = compare_owners(*one, *two);

	return r ? r : compare_numbers((uint64_t)(*one)->pid, (uint64_t)(*two)->pid);
}

/* ---- adding up ---- */

/* The use of this device, added if missing: there is room for every usage of every process. */
static struct owner_use *use_of(struct owner_entry *entry, size_t device)
{
	size_t at = 0;

	while (at < entry->n_uses && entry->uses[at].device < device)
		at++;
	if (at < entry->n_uses && entry->uses[at].device == device)
		return &entry->uses[at];
	memmove(&entry->uses[at + 1], &entry->uses[at],
		(entry->n_uses - at) * sizeof(*entry->uses));
	entry->n_uses++;
	entry->uses[at] = (struct owner_use){ .device = device };
	return &entry->uses[at];
}

static void add_usage(struct owner_entry *entry, const struct usage *usage)
{
	struct owner_use *use;

	if (usage->stale)
		return;
	use = use_of(entry, usage->device);
	use->processes++;
	for (size_t i = 0; i < OWNER_POOLS; i++) {
		if (usage->why[usage_pools[owner_pools[i]].bytes] != KNOWN)
			continue;
		use->known[i] = true;
		use->bytes[i] += usage->bytes[owner_pools[i]];
		entry->bytes += owner_pools[i] == POOL_DRAM ? usage->bytes[POOL_DRAM] : 0;
	}
}

/* The quiet time of an owner is the shortest of its processes, if all are known. */
static void add_process(struct owner_entry *entry, const struct process *process)
{
	bool known = process_knows(process, PROC_QUIET);

	if (entry->n_uses == 0) {
		entry->quiet_known = known;
		entry->quiet = process->quiet;
	}
	entry->quiet_known &= known;
	entry->quiet = MIN(entry->quiet, process->quiet);
	for (size_t i = 0; i < process->n_usages; i++)
		add_usage(entry, &process->usages[i]);
}

static void add_all(struct owner_list *list, const struct process *const *processes, size_t count)
{
	struct owner_use *free_use = list->uses;

	for (size_t i = 0; i < count; i++) {
		struct owner_entry *entry = &list->list[list->count - 1];

		if (i == 0 || compare_owners(processes[i - 1], processes[i]) != 0) {
			if (i > 0)
				free_use += entry->n_uses;
			entry = &list->list[list->count++];
			*entry = (struct owner_entry){
				.kind = owner_kind_of(processes[i]),
				.process = processes[i],
				.uses = free_use,
			};
		}
		add_process(entry, processes[i]);
	}
}

/* ---- the limit ---- */

static int order_by_user(const void *a, const void *b)
{
	const struct owner_entry *one = a, *two = b;
	int r = compare_numbers(user_of(one->process), user_of(two->process));

	if (!r)
		r = compare_numbers(two->bytes, one->bytes);
	return r ? r : compare_owners(one->process, two->process);
}

static int order_by_turn(const void *a, const void *b)
{
	const struct owner_entry *one = a, *two = b;
	int r = compare_numbers(one->position, two->position);

	if (!r)
		r = compare_numbers(two->bytes, one->bytes);
	return r ? r : compare_owners(one->process, two->process);
}

static int order_by_name(const void *a, const void *b)
{
	const struct owner_entry *one = a, *two = b;

	return compare_owners(one->process, two->process);
}

/* Series of the metrics: processes and memory of each device, number of devices, quiet time. */
static size_t count_series(const struct owner_entry *entry)
{
	size_t count = 1 + entry->quiet_known;

	for (size_t i = 0; i < entry->n_uses; i++)
		count += 1U + entry->uses[i].known[0] + entry->uses[i].known[1];
	return count;
}

static void apply_limit(struct owner_list *list, size_t limit)
{
	if (list->count <= limit)
		return;
	qsort(list->list, list->count, sizeof(*list->list), order_by_user);
	for (size_t i = 1; i < list->count; i++)
		if (user_of(list->list[i].process) == user_of(list->list[i - 1].process))
			list->list[i].position = list->list[i - 1].position + 1;
	qsort(list->list, list->count, sizeof(*list->list), order_by_turn);
	for (size_t i = limit; i < list->count; i++)
		list->dropped += count_series(&list->list[i]);
	list->count = limit;
	qsort(list->list, list->count, sizeof(*list->list), order_by_name);
}

int owner_list_make(const struct snapshot *snapshot, size_t limit, struct owner_list *ret)
{
	CLEANUP_FREE const struct process **processes =
		calloc(snapshot->n_processes + 1, sizeof(*processes));
	size_t count = 0, n_uses = 0;

	*ret = (struct owner_list){ 0 };
	if (!processes)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_processes; i++)
		if (owner_counts(&snapshot->processes[i])) {
			processes[count++] = &snapshot->processes[i];
			n_uses += snapshot->processes[i].n_usages;
		}
	ret->list = calloc(count + 1, sizeof(*ret->list));
	ret->uses = calloc(n_uses + 1, sizeof(*ret->uses));
	if (!ret->list || !ret->uses) {
		owner_list_done(ret);
		return -ENOMEM;
	}
	qsort(processes, count, sizeof(struct process *), order_processes);
	add_all(ret, processes, count);
	apply_limit(ret, limit);
	return 0;
}

void owner_list_done(struct owner_list *list)
{
	free(list->list);
	free(list->uses);
	*list = (struct owner_list){ 0 };
}
