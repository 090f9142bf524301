#include "fleet/who.h"

#include "basic/array.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const char *const owned_labels[OWNED_TEXTS] = {
	[OWNED_KIND] = "kind",		 [OWNED_USER] = "user",
	[OWNED_SLURM_JOB] = "slurm_job", [OWNED_SLURM_JOB_NAME] = "slurm_job_name",
	[OWNED_NAMESPACE] = "namespace", [OWNED_POD] = "pod",
	[OWNED_CONTAINER] = "container",
};

const char *const owned_keys[OWNED_VALUES] = {
	[OWNED_DEVICES] = "devices",
	[OWNED_DRAM] = "dram_used",
	[OWNED_QUIET] = "quiet",
};

struct who_entry {
	const char *const *texts; /* of the owner */
	size_t index;
};

/* The containers of a pod are one owner, and not every machine knows the name of a job. */
static const char *key_text(const char *const *texts, size_t i)
{
	if (i == OWNED_SLURM_JOB_NAME || (i == OWNED_CONTAINER && texts[OWNED_POD][0]))
		return "";
	return texts[i];
}

static uint64_t hash_owner(const void *entry)
{
	const struct who_entry *owner = entry;
	uint64_t hash = 0;

	for (size_t i = 0; i < OWNED_TEXTS; i++)
		hash = hash_u64(hash ^ hash_text(key_text(owner->texts, i)));
	return hash;
}

static bool same_owner(const void *a, const void *b)
{
	const struct who_entry *first = a, *second = b;

	for (size_t i = 0; i < OWNED_TEXTS; i++)
		if (strcmp(key_text(first->texts, i), key_text(second->texts, i)) != 0)
			return false;
	return true;
}

static const struct hash_kind kind = {
	.entry_size = sizeof(struct who_entry),
	.used_at = offsetof(struct who_entry, texts),
	.hash = hash_owner,
	.same_key = same_owner,
	.alloc = hash_heap_alloc,
	.release = hash_heap_release,
};

static void owner_done(struct fleet_owner *owner)
{
	for (size_t i = 0; owner->texts && i < OWNED_TEXTS; i++)
		free(owner->texts[i]);
	free(owner->texts);
	free(owner->machines);
}

void who_done(struct who *who)
{
	for (size_t i = 0; i < who->count; i++)
		owner_done(&who->owners[i]);
	free(who->owners);
	hash_table_done(&who->by_texts, &kind);
	fleet_done(&who->fleet);
	*who = (struct who){ 0 };
}

static int set_text(struct fleet_owner *owner, size_t i, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(owner->texts[i]);
	owner->texts[i] = copy;
	return 0;
}

static int owner_init(struct fleet_owner *owner, const char *const *texts)
{
	int r = 0;

	*owner = (struct fleet_owner){ .texts = calloc(OWNED_TEXTS, sizeof(*owner->texts)),
				       .values = { NAN, NAN, NAN } };
	if (!owner->texts)
		return -ENOMEM;
	for (size_t i = 0; i < OWNED_TEXTS && r == 0; i++)
		r = set_text(owner, i, key_text(texts, i));
	return r;
}

static int grow(struct who *who)
{
	struct fleet_owner *owners;

	owners = array_grow(who->owners, who->count, &who->room, sizeof(*owners));
	if (!owners)
		return -ENOMEM;
	who->owners = owners;
	return 0;
}

static int append(struct who *who, const char *const *texts, struct fleet_owner **ret)
{
	struct who_entry entry = { .index = who->count };
	struct fleet_owner owner;
	int r = owner_init(&owner, texts);

	entry.texts = (const char *const *)owner.texts;
	if (r == 0)
		r = grow(who);
	if (r == 0)
		r = hash_table_add(&who->by_texts, &kind, &entry);
	if (r < 0) {
		owner_done(&owner);
		return r;
	}
	who->owners[who->count] = owner;
	*ret = &who->owners[who->count++];
	return 0;
}

static int get(struct who *who, const char *const *texts, struct fleet_owner **ret)
{
	const struct who_entry key = { .texts = texts };
	const struct who_entry *found = hash_table_find(&who->by_texts, &kind, &key);
	int r = 0;

	if (found)
		*ret = &who->owners[found->index];
	else
		r = append(who, texts, ret);
	if (r == 0 && texts[OWNED_SLURM_JOB_NAME][0])
		r = set_text(*ret, OWNED_SLURM_JOB_NAME, texts[OWNED_SLURM_JOB_NAME]);
	return r;
}

static int add_machine(struct fleet_owner *owner, size_t machine)
{
	size_t *machines = reallocarray(owner->machines, owner->n_machines + 1, sizeof(*machines));

	if (!machines)
		return -ENOMEM;
	owner->machines = machines;
	machines[owner->n_machines++] = machine;
	return 0;
}

int who_add(struct who *who, const char *const *texts, size_t machine, enum owned_value which,
	    double value)
{
	struct fleet_owner *owner;
	double *sum;
	int r = get(who, texts, &owner);

	if (r < 0)
		return r;
	sum = &owner->values[which];
	if (isnan(*sum))
		*sum = value;
	else
		*sum = which == OWNED_QUIET ? fmin(*sum, value) : *sum + value;
	return add_machine(owner, machine);
}

static int compare_down(double a, double b)
{
	a = isnan(a) ? -1 : a;
	b = isnan(b) ? -1 : b;
	return (a < b) - (a > b);
}

static int compare(const void *a, const void *b)
{
	const struct fleet_owner *first = a, *second = b;
	int order = compare_down(first->values[OWNED_DEVICES], second->values[OWNED_DEVICES]);

	if (order == 0)
		order = compare_down(first->values[OWNED_DRAM], second->values[OWNED_DRAM]);
	for (size_t i = 0; i < OWNED_TEXTS && order == 0; i++)
		order = strcmp(first->texts[i], second->texts[i]);
	return order;
}

static int compare_machines(const void *a, const void *b)
{
	size_t first = *(const size_t *)a, second = *(const size_t *)b;

	return (first > second) - (first < second);
}

/* Each machine once: it was added with each of the values. */
static void sort_machines(struct fleet_owner *owner)
{
	size_t count = 0;

	qsort(owner->machines, owner->n_machines, sizeof(*owner->machines), compare_machines);
	for (size_t i = 0; i < owner->n_machines; i++)
		if (i == 0 || owner->machines[i] != owner->machines[i - 1])
			owner->machines[count++] = owner->machines[i];
	owner->n_machines = count;
}

void who_sort(struct who *who)
{
	for (size_t i = 0; i < who->count; i++)
		sort_machines(&who->owners[i]);
	if (who->count)
		qsort(who->owners, who->count, sizeof(*who->owners), compare);
}

void owner_put_name(struct buf *out, const struct fleet_owner *owner)
{
	char *const *texts = owner->texts;

	if (texts[OWNED_SLURM_JOB][0]) {
		buf_printf(out, "slurm %s", texts[OWNED_SLURM_JOB]);
		if (texts[OWNED_SLURM_JOB_NAME][0])
			buf_printf(out, " (%s)", texts[OWNED_SLURM_JOB_NAME]);
	} else if (texts[OWNED_POD][0]) {
		buf_printf(out, "%s%s%s (pod)", texts[OWNED_NAMESPACE],
			   texts[OWNED_NAMESPACE][0] ? "/" : "", texts[OWNED_POD]);
	} else if (texts[OWNED_CONTAINER][0]) {
		buf_printf(out, "container %s", texts[OWNED_CONTAINER]);
	} else {
		buf_puts(out, "-");
	}
}
