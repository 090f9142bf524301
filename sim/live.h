/* A running machine: files that change, processes, faults that begin and end. */
#pragma once

#include "machine.h"

/* Runs until a signal arrives or the command ends. Returns the exit status. */
int live_main(struct machine *m);
