/*
 * Commands that are programs of their own, since they need libraries that the others do not, or, as
 * the simulator, share nothing with them.
 */
#pragma once

#include "basic/optional_part.h"

int trace_main(int argc, char **argv);
int serve_main(int argc, char **argv);
int fleet_main(int argc, char **argv);
int sim_main(int argc, char **argv);

/* Prints how to build a part that this build lacks. Returns the exit code. */
int optional_part_fail(enum optional_part part);
