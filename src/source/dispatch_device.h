/*
 * Compute utilisation of devices. The figure of a device is that of its own line, if it has one,
 * else what follows from those of its processes. It is exact only if every job on the device is
 * measured.
 */
#pragma once

#include "source/dispatch_line.h"
#include "source/source.h"

/* To be called after the figures of the processes are in the snapshot. */
void dispatch_fill_devices(struct sample *sample, const struct dispatch_text *text);
