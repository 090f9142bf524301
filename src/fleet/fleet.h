/*
 * Many machines: a pure model, filled from the series of a server, that all outputs show. A value
 * without a series is unknown, never 0.
 */
#pragma once

#include "basic/hash_table.h"
#include "fleet/fleet_order.h"
#include "fleet/machine.h"

/* Which machines are shown, of those that the server names. */
struct fleet_filter {
	const char *matchers; /* of labels, for selectors: "rack=\"a\","; "": all */
	char *const *globs;   /* patterns of names; NULL-terminated; none: all */
};

struct fleet {
	struct fleet_machine *machines;
	size_t count, room;
	struct hash_table by_instance;
	bool knows_alerts;    /* the server has our alerting rules */
	bool uses_rules;      /* the answers came from our recording rules */
	char *hottest_device; /* of the hottest machine; NULL: unknown */
};

void fleet_done(struct fleet *fleet);

/*
 * The machine with this label, which is added if it is new. The pointer is valid until the next
 * one is added. 0: it is not accepted by the filter, or has no name.
 */
MUST_CHECK int fleet_get(struct fleet *fleet, const struct fleet_filter *filter,
			 const char *instance, struct fleet_machine **ret);

void fleet_sort(struct fleet *fleet, enum fleet_order order);

/* The hottest one; NULL: no temperature is known. */
const struct fleet_machine *fleet_hottest(const struct fleet *fleet);

/* Sums over all machines with data; of temperatures the highest. */
struct fleet_totals {
	size_t machines, without_data, alerts;
	double target;		       /* devices that should be up */
	double values[MACHINE_VALUES]; /* NAN: no machine knows it */
	bool partly[MACHINE_VALUES];   /* it is unknown for a machine with data */
};

void fleet_total(const struct fleet *fleet, struct fleet_totals *ret);
