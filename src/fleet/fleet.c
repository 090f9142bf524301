#include "fleet/fleet.h"

#include "basic/array.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct instance_entry {
	const char *instance; /* of the machine */
	size_t index;
};

static uint64_t hash_instance(const void *entry)
{
	return hash_text(((const struct instance_entry *)entry)->instance);
}

static bool same_instance(const void *a, const void *b)
{
	return strcmp(((const struct instance_entry *)a)->instance,
		      ((const struct instance_entry *)b)->instance) == 0;
}

static const struct hash_kind kind = {
	.entry_size = sizeof(struct instance_entry),
	.used_at = offsetof(struct instance_entry, instance),
	.hash = hash_instance,
	.same_key = same_instance,
	.alloc = hash_heap_alloc,
	.release = hash_heap_release,
};

_Static_assert(sizeof(char *) == sizeof(uint64_t), "hash_kind.used_at is 64 bits wide");

void fleet_done(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->count; i++)
		machine_done(&fleet->machines[i]);
	free(fleet->machines);
	free(fleet->hottest_device);
	hash_table_done(&fleet->by_instance, &kind);
	*fleet = (struct fleet){ 0 };
}

static bool filter_accepts(const struct fleet_filter *filter, const char *instance,
			   const char *name)
{
	if (!filter->globs || !filter->globs[0])
		return true;
	for (size_t i = 0; filter->globs[i]; i++)
		if (fnmatch(filter->globs[i], name, 0) == 0 ||
		    fnmatch(filter->globs[i], instance, 0) == 0)
			return true;
	return false;
}

static int grow(struct fleet *fleet)
{
	struct fleet_machine *machines;

	machines = array_grow(fleet->machines, fleet->count, &fleet->room, sizeof(*machines));
	if (!machines)
		return -ENOMEM;
	fleet->machines = machines;
	return 0;
}

static int add(struct fleet *fleet, const struct fleet_machine *machine)
{
	struct instance_entry entry = { machine->instance, fleet->count };
	int r = grow(fleet);

	if (r == 0)
		r = hash_table_add(&fleet->by_instance, &kind, &entry);
	if (r == 0)
		fleet->machines[fleet->count++] = *machine;
	return r;
}

int fleet_get(struct fleet *fleet, const struct fleet_filter *filter, const char *instance,
	      struct fleet_machine **ret)
{
	struct instance_entry key = { instance, 0 };
	const struct instance_entry *found = hash_table_find(&fleet->by_instance, &kind, &key);
	struct fleet_machine machine;
	int r;

	if (found) {
		*ret = &fleet->machines[found->index];
		return 1;
	}
	if (!instance[0])
		return 0;
	r = machine_init(&machine, instance);
	if (r < 0)
		return r;
	if (!filter_accepts(filter, machine.instance, machine.name)) {
		machine_done(&machine);
		return 0;
	}
	r = add(fleet, &machine);
	if (r < 0) {
		machine_done(&machine);
		return r;
	}
	*ret = &fleet->machines[fleet->count - 1];
	return 1;
}

void fleet_sort(struct fleet *fleet, enum fleet_order order)
{
	if (fleet->count)
		qsort(fleet->machines, fleet->count, sizeof(*fleet->machines),
		      fleet_orders[order].compare);
	for (size_t i = 0; i < fleet->count; i++) {
		struct instance_entry key = { fleet->machines[i].instance, 0 };
		struct instance_entry *found = hash_table_find(&fleet->by_instance, &kind, &key);

		found->index = i;
	}
}

const struct fleet_machine *fleet_hottest(const struct fleet *fleet)
{
	const struct fleet_machine *hottest = NULL;

	for (size_t i = 0; i < fleet->count; i++) {
		const struct fleet_machine *machine = &fleet->machines[i];

		if (machine_knows(machine, MACHINE_TEMPERATURE) &&
		    (!hottest ||
		     machine->values[MACHINE_TEMPERATURE] > hottest->values[MACHINE_TEMPERATURE]))
			hottest = machine;
	}
	return hottest;
}

static void total_value(const struct fleet_machine *machine, enum machine_value value,
			struct fleet_totals *totals)
{
	double *sum = &totals->values[value], one = machine->values[value];

	if (isnan(one)) {
		totals->partly[value] = true;
		return;
	}
	if (machine_fields[value].kind == KIND_CELSIUS)
		*sum = fmax(*sum, one);
	else if (machine_fields[value].kind == KIND_YES_NO)
		*sum = fmin(*sum, one);
	else
		*sum = isnan(*sum) ? one : *sum + one;
}

void fleet_total(const struct fleet *fleet, struct fleet_totals *ret)
{
	*ret = (struct fleet_totals){ .machines = fleet->count };
	for (size_t v = 0; v < MACHINE_VALUES; v++)
		ret->values[v] = NAN;
	for (size_t i = 0; i < fleet->count; i++) {
		const struct fleet_machine *machine = &fleet->machines[i];
		double target = machine_target(machine);

		ret->alerts += machine->n_alerts;
		ret->target += isnan(target) ? 0 : target;
		ret->without_data += !machine->has_data;
		for (enum machine_value v = 0; machine->has_data && v < MACHINE_VALUES; v++)
			total_value(machine, v, ret);
	}
}
