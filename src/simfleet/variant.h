/*
 * A machine of a simulated fleet, made from a sample of the one machine that is simulated: other
 * chips, loads, users and jobs, and maybe a fault. The same machine and sample give the same
 * result, and counters grow from sample to sample. Pure, no clock.
 */
#pragma once

#include "basic/macros.h"
#include "model/snapshot.h"
#include "model/totals.h"

struct variant {
	struct snapshot *snapshot;
	struct device_counts *totals; /* of each of its devices */
};

/* totals: of each device of the sample. -ENOMEM. */
MUST_CHECK int variant_new(struct variant *ret, unsigned number, const struct snapshot *sample,
			   const struct device_counts *totals);
void variant_done(struct variant *variant);
