/*
 * Counters of a chip that only grow, however long this program runs: the driver's counters wrap
 * within seconds, restart at a reset, and vanish while the chip does not answer. Pure, no clock.
 */
#pragma once

#include "basic/macros.h"
#include "model/allocation_counts.h"
#include "model/rates.h"
#include "model/snapshot.h"

enum total_field {
	TOTAL_RESETS,
	TOTAL_HEARTBEATS,
	TOTAL_THERMAL_TRIPS,
	TOTAL_ENERGY,
	TOTAL_PCIE_RX,
	TOTAL_PCIE_TX,
	TOTAL_CORRECTABLE,
	TOTAL_NONFATAL,
	TOTAL_FATAL,
	TOTAL_UPSTREAM_CORRECTABLE,
	TOTAL_UPSTREAM_NONFATAL,
	TOTAL_UPSTREAM_FATAL,
	TOTAL_ALLOCATIONS_DRAM,
	TOTAL_ALLOCATIONS_L1,
	TOTAL_FAILURES_DRAM,
	TOTAL_FAILURES_L1,
	TOTAL_PEAK_DRAM,
	TOTAL_PEAK_L1,
	TOTAL_N_FIELDS,
};

#define TOTAL_FIELD(name)               \
	{                               \
		OF_TOTALS, TOTAL_##name \
	}

/* The totals of one device at one sample; known while their counter is. */
struct device_counts {
	uint8_t why[TOTAL_N_FIELDS];
	uint64_t resets;
	uint64_t heartbeats, thermal_trips;
	double energy; /* joules */
	struct pcie_bytes pcie;
	struct pcie_errors errors, upstream;
	struct allocation_count allocations[POOL_SPLITS];
	uint64_t peak[POOL_COUNT]; /* of DRAM and L1 */
};

extern const struct field_table totals_fields;

/* The chips seen so far. Initialise with { 0 }. */
struct totals {
	struct counted_chip *chips;
	size_t count;
	struct allocation_counts allocations;
};

void totals_done(struct totals *totals);

/* Down to whole joules: less than the error of integration, and further digits cost space. */
double totals_round_energy(double joules);

/*
 * Adds what happened since the last sample, before, which is NULL at first. ret has room for the
 * devices of now, and receives the totals of each. -ENOMEM.
 */
MUST_CHECK int totals_add(struct totals *totals, const struct snapshot *now,
			  const struct snapshot *before, struct device_counts *ret);
