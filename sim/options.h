/* The command line of tt_smi sim. */
#pragma once

#include "basic/exit_code.h"
#include "basic/macros.h"
#include "machine.h"

/*
 * Returns an exit code after an error on stderr. *ret_done: help or version was printed; exit.
 * `ret` points into argv.
 */
MUST_CHECK int options_parse(int argc, char **argv, struct sim_options *ret, bool *ret_done);
