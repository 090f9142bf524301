/* tt_smi check: is the machine fit for work? One line and an exit code. */
#pragma once

int check_main(int argc, char **argv);
