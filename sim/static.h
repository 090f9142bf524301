/*
 * A machine at one instant: files for tests and for reports, the same for the
 * same options, byte for byte. Its processes exist only as files below proc.
 */
#pragma once

#include "machine.h"

/* Writes the tree and leaves it; the exit status. */
int static_main(struct machine *m);
