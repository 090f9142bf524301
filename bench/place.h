/*
 * Where the simulated machines of a measurement lie: a tmpfs of our own in a
 * private mount namespace if the system lets us, else a directory in memory or in
 * /tmp. It leaves nothing behind, however the program ends.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>

struct place {
	char path[256];
	bool is_private;
	char note[128]; /* why it is not */
};

/* Calls run(place, arg) in a child, with a place of its own; returns its result. */
MUST_CHECK int place_run(int (*run)(struct place *place, void *arg), void *arg);
