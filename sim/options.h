/* The command line of tt_smi sim. */
#pragma once

#include "basic/macros.h"
#include "machine.h"

enum { EXIT_USAGE = 2, EXIT_NO_FUSE = 3 };

/*
 * Returns 1 if there is something to do, 0 if all was said (--help), -1 after an
 * error on stderr. `ret` points into argv.
 */
MUST_CHECK int options_parse(int argc, char **argv, struct options *ret);
