/* tt_smi sim --fleet: the command that runs on the simulated machine is tt_smi-sim-fleet. */
#pragma once

#include "basic/macros.h"
#include "machine.h"

#define MAX_FLEET     100000
#define FLEET_ADDRESS "127.0.0.1:7763"

/* Sets the command. Returns an exit code after an error on stderr. */
MUST_CHECK int fleet_set_command(struct sim_options *options);
