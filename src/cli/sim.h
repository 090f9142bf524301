/* tt_smi sim: the simulated machine is a program of its own, tt_smi-sim. */
#pragma once

int sim_main(int argc, char **argv);
