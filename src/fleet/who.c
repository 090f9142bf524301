#include "fleet/who.h"

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

static void owner_done(struct fleet_owner *owner)
{
	for (size_t i = 0; i < OWNED_TEXTS; i++)
		free(owner->texts[i]);
	free(owner->machines);
}

void who_done(struct who *who)
{
	for (size_t i = 0; i < who->count; i++)
		owner_done(&who->owners[i]);
	free(who->owners);
	fleet_done(&who->fleet);
	*who = (struct who){ 0 };
}

/* The containers of a pod are one owner. */
static const char *key_text(const char *const *texts, size_t i)
{
	return i == OWNED_CONTAINER && texts[OWNED_POD][0] ? "" : texts[i];
}

static bool is_same(const struct fleet_owner *owner, const char *const *texts)
{
	for (size_t i = 0; i < OWNED_TEXTS; i++)
		if (strcmp(owner->texts[i], key_text(texts, i)) != 0)
			return false;
	return true;
}

static int append(struct who *who, const char *const *texts, struct fleet_owner **ret)
{
	struct fleet_owner *owners, owner = { .values = { NAN, NAN, NAN } };
	bool failed = false;

	for (size_t i = 0; i < OWNED_TEXTS; i++) {
		owner.texts[i] = strdup(key_text(texts, i));
		failed = failed || !owner.texts[i];
	}
	owners = reallocarray(who->owners, who->count + 1, sizeof(*owners));
	if (owners)
		who->owners = owners;
	if (failed || !owners) {
		owner_done(&owner);
		return -ENOMEM;
	}
	*ret = &owners[who->count++];
	**ret = owner;
	return 0;
}

static int get(struct who *who, const char *const *texts, struct fleet_owner **ret)
{
	for (size_t i = 0; i < who->count; i++) {
		*ret = &who->owners[i];
		if (is_same(*ret, texts))
			return 0;
	}
	return append(who, texts, ret);
}

static int add_machine(struct fleet_owner *owner, size_t machine)
{
	size_t *machines;

	/* From the end: series of one machine often follow each other. */
	for (size_t i = owner->n_machines; i-- > 0;)
		if (owner->machines[i] == machine)
			return 0;
	machines = reallocarray(owner->machines, owner->n_machines + 1, sizeof(*machines));
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

void who_sort(struct who *who)
{
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
