/*
 * What must be read for an output: a renderer names the fields that it shows, and
 * everything they are derived from is added to them. What a field needs is written in its
 * table line (struct field) and nowhere else, so a value does not depend on what else is
 * shown.
 */
#pragma once

#include "model/field.h"

#include <stdbool.h>

struct want {
	struct fieldset device;	 /* enum device_field */
	struct fieldset process; /* enum process_field */
	unsigned pair_ms;	 /* the rates among them: two samples this far apart; 0: none */
	bool processes, allocations, reporters, accounts, utilization, shm_ids, host;
	bool low_rate; /* for people: what changes slowly is not read at every sample */
};

/* Adds one field, or one part, and all that it needs, directly or indirectly. */
void want_add(struct want *want, enum fields_of of, unsigned index);

/* The same for each of a list, FIELDS(…). */
void want_add_list(struct want *want, const struct field_ref *list);

/* The same for every field of a table. */
void want_add_table(struct want *want, const struct field_table *table);

/* Every field of devices, processes and their memory. */
void want_add_everything(struct want *want);
