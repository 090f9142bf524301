/*
 * What only two samples can tell: PCIe rates, a moving heartbeat, host CPU. Pure
 * functions of two snapshots, no clock.
 */
#pragma once

#include "model/snapshot.h"

/*
 * Fills the rates of now. before may be NULL: rates then carry NEEDS_TWO_SAMPLES,
 * and a process's CPU share is that since its start.
 */
void rates_fill(struct snapshot *now, const struct snapshot *before, unsigned ticks_per_second);

/* Bytes per data flit at the PCIe tile; 0 if not known. */
unsigned rates_flit_bytes(enum arch arch);
