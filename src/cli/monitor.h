/* dmon and pmon: a line per device, or per process, for every sample. */
#pragma once

#include "basic/macros.h"

/* Return an exit code. */
MUST_CHECK int dmon_main(int argc, char **argv);
MUST_CHECK int pmon_main(int argc, char **argv);
