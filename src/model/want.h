/*
 * The data to read for an output: a renderer names the fields that it shows, and all fields that
 * they are derived from are added. The dependencies of a field are in its table line (struct field)
 * only, so a value does not depend on which others are shown.
 */
#pragma once

#include "model/field.h"

#include <stdbool.h>

struct want {
	struct fieldset device;	 /* enum device_field */
	struct fieldset process; /* enum process_field */
	/*
	 * Those of device that are not shown, and only interpret what processes report: read for
	 * devices in use only (source/used_cards.c).
	 */
	struct fieldset if_used;
	/* some are rates: take two samples this many milliseconds apart; 0: none */
	unsigned pair_ms;
	bool processes, allocations, reporters, accounts, utilization, shm_ids, host;
	bool deviceless; /* there is something to show without a device */
	bool low_rate;	 /* for people: values that change slowly are not read in every sample */
	bool single;	 /* one sample, in which values from two have nothing to be computed from */
};

/* Adds one field or part, and all that it needs, directly or indirectly. */
void want_add(struct want *want, enum fields_of of, unsigned index);

/* Adds each of a list, FIELDS(…). */
void want_add_list(struct want *want, const struct field_ref *list);

/* Adds every field of a table. */
void want_add_table(struct want *want, const struct field_table *table);

/* Adds every field of devices, processes and their memory. */
void want_add_everything(struct want *want);
