/*
 * A machine at one instant: files for tests and bug reports, reproducible byte for byte from the
 * options. Its processes exist only as files below proc.
 */
#pragma once

#include "machine.h"

/* Writes the tree. Returns the exit status. */
int static_main(struct machine *m);
