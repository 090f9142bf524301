/*
 * What a chip does: load makes power, power makes heat, heat makes the fan turn,
 * each with its own inertia; traffic and heartbeat are counted. Nothing here
 * touches a file.
 */
#pragma once

#include "machine.h"

/* A chip that has done the same for a while. */
void physics_init(const struct machine *m, struct sim_device *d);

/* So many seconds later, at machine time now_ms. */
void physics_step(const struct machine *m, struct sim_device *d, double seconds);

/* A hardware reset: counters and heartbeat start from nothing. */
void physics_reset(struct sim_device *d);
