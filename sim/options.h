/* The command line of tt_smi sim. */
#pragma once

#include "basic/exit_code.h"
#include "basic/macros.h"
#include "machine.h"

/*
 * Returns 1 if there is something to do, 0 if all was said (--help), -1 after an
 * error on stderr. `ret` points into argv.
 */
MUST_CHECK int options_parse(int argc, char **argv, struct options *ret);
