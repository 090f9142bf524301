/* The devices of a machine in one line, for the full screen and the web page alike. */
#pragma once

#include "basic/buf.h"
#include "model/snapshot.h"

/*
 * "32 devices, 1 in trouble: 3  1.9kW  max 71°C  DRAM ≥120.0GB/384.0GB". Of the sums, those that
 * fit into that many columns: a figure that is cut would be another figure.
 */
void sums_put(struct buf *out, const struct snapshot *snapshot, bool utf8, size_t room);
