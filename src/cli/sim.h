/* tt_smi sim: executes the simulator, which is a separate program, tt_smi-sim. */
#pragma once

int sim_main(int argc, char **argv);
