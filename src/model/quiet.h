/*
 * For how long a device or a process has shown no work. This is an observation, not a proof that it
 * is idle: a program may compute for a long time without moving data or ending. Pure functions of
 * two snapshots.
 */
#pragma once

#include "model/snapshot.h"

/*
 * Fills the quiet times of now. Without an earlier snapshot only the tracer's figures count, since
 * nothing else covers the time before.
 */
void quiet_fill(struct snapshot *now, const struct snapshot *before);
