/* The command line of tt_smi sim. */
#pragma once

#include "basic/exit_code.h"
#include "basic/macros.h"
#include "machine.h"

/*
 * An exit code after an error on stderr. *ret_done: help or version was printed, and that is all
 * there is to do. `ret` points into argv.
 */
MUST_CHECK int options_parse(int argc, char **argv, struct sim_options *ret, bool *ret_done);
