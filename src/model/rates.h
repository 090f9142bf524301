/*
 * Values that need two samples: PCIe rates, a live heartbeat, host CPU. Pure functions of two
 * snapshots, no clock.
 */
#pragma once

#include "model/snapshot.h"

/*
 * Fills the rates of now. before may be NULL: rates are then NEEDS_TWO_SAMPLES, and the CPU share
 * of a process is the average since its start.
 */
void rates_fill(struct snapshot *now, const struct snapshot *before, unsigned ticks_per_second);

/* Payload at the PCIe tile; rx: into the device. */
struct pcie_bytes {
	uint64_t rx, tx;
};

/*
 * What moved between two samples of a device. KNOWN, or the reason why the counters cannot show it:
 * they are unknown, a reset cleared them, or they may have wrapped more than once. before may be
 * NULL.
 */
MUST_CHECK enum reason rates_pcie_bytes(const struct device *now, const struct device *before,
					struct pcie_bytes *ret);

/* Bytes per data flit at the PCIe tile; 0: unknown. */
unsigned rates_flit_bytes(enum arch arch);
