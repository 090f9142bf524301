/* tt_smi fleet: executes a separate program, tt_smi-fleet. */
#pragma once

int fleet_main(int argc, char **argv);
