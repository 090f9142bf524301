#include "model/want.h"

#include "basic/macros.h"
#include "model/snapshot.h"
#include "model/totals.h"

static const struct field_table *const tables[] = {
	[OF_HOST] = &host_fields,	    [OF_DEVICE] = &device_fields,
	[OF_PROCESS] = &process_fields,	    [OF_USAGE] = &usage_fields,
	[OF_ACCOUNTED] = &accounted_fields, [OF_TOTALS] = &totals_fields,
};

static const struct field_ref *const part_needs[PART_N] = {
	/* Whether the memory of a device is complete depends on the roles of its holders. */
	[PART_PROCESSES] = FIELDS(PROCESS_FIELD(ROLE)),
	[PART_ALLOCATIONS] = FIELDS(PART(PROCESSES)),
	[PART_REPORTERS] = FIELDS(PART(PROCESSES), PROCESS_FIELD(NS_PID), PROCESS_FIELD(UID)),
	/*
	 * The publisher may run in a container: its pid is then found among the processes. Its
	 * values count only if its user has the device open.
	 */
	[PART_UTILIZATION] = FIELDS(PART(PROCESSES)),
	/*
	 * Slots in TT-Metal's files have the pid of the process in its own namespace, and count
	 * only if the file belongs to the process's user. Files that are not named by ASIC ids also
	 * need serial numbers (source/card_serials.h).
	 */
	[PART_SHM_IDS] = FIELDS(DEVICE_FIELD(ASIC_ID), PROCESS_FIELD(NS_PID), PROCESS_FIELD(UID)),
};

static bool *want_part(struct want *want, enum part part)
{
	switch (part) {
	case PART_PROCESSES: return &want->processes;
	case PART_ALLOCATIONS: return &want->allocations;
	case PART_REPORTERS: return &want->reporters;
	case PART_ACCOUNTS: return &want->accounts;
	case PART_UTILIZATION: return &want->utilization;
	case PART_SHM_IDS: return &want->shm_ids;
	case PART_HOST:
	case PART_N: break;
	}
	return &want->host;
}

static void add_part(struct want *want, enum part part)
{
	bool *wanted = want_part(want, part);

	if (*wanted)
		return;
	*wanted = true;
	want_add_list(want, part_needs[part]);
}

/*
 * Returns whether it is in the set already, in which case its needs are, too. No field needs one of
 * the other tables.
 */
static bool mark_field(struct want *want, enum fields_of of, unsigned index)
{
	struct fieldset *set = of == OF_DEVICE ? &want->device : &want->process;

	if (of != OF_DEVICE && of != OF_PROCESS)
		return false;
	if (fieldset_has(set, index))
		return true;
	fieldset_add(set, index);
	return false;
}

void want_add(struct want *want, enum fields_of of, unsigned index)
{
	const struct field *field;

	if (of == OF_PART) {
		add_part(want, index);
		return;
	}
	if (mark_field(want, of, index))
		return;
	field = &tables[of]->fields[index];
	want->pair_ms = MAX(want->pair_ms, field->pair_ms);
	want_add_list(want, tables[of]->needs);
	if (!(want->single && field->pair_ms))
		want_add_list(want, field->needs);
}

void want_add_list(struct want *want, const struct field_ref *list)
{
	for (; list && list->of != OF_NOTHING; list++)
		want_add(want, list->of, list->index);
}

void want_add_table(struct want *want, const struct field_table *table)
{
	for (unsigned i = 0; i < table->count; i++)
		want_add(want, table->of, i);
}

void want_add_everything(struct want *want)
{
	want_add_table(want, &host_fields);
	want_add_table(want, &device_fields);
	want_add_table(want, &process_fields);
	want_add_table(want, &usage_fields);
}
