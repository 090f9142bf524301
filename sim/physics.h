/*
 * The physical model of a chip: load causes power, power heat, heat fan speed, each with its own
 * inertia; traffic and heartbeat are counted. Accesses no files.
 */
#pragma once

#include "machine.h"

/* A chip in a steady state. */
void physics_init(const struct machine *m, struct sim_device *d);

/* Advances by the given time, to machine time now_ms. */
void physics_step(const struct machine *m, struct sim_device *d, double seconds);

/* A hardware reset: counters and heartbeat restart at zero. */
void physics_reset(struct sim_device *d);
