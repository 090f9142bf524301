/* A machine that lives: files that change, processes, faults that come and go. */
#pragma once

#include "machine.h"

/* Runs until a signal or the command's end; the exit status. */
int live_main(struct machine *m);
