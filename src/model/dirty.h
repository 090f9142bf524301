/*
 * Did a job on a device die by SIGKILL or crash, with no reset of the chip since? It may have left
 * the chip in a state that makes the next job slow or hang. Pure.
 */
#pragma once

#include "model/snapshot.h"

/*
 * Fills the fields of all devices, from what the tracer has seen, the server's accounts of finished
 * processes, and the time of the last reset.
 */
void dirty_fill(struct snapshot *snapshot);
