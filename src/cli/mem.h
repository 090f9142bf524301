/* The memory monitor: tt_smi mem, also called allocation_monitor_client. */
#pragma once

#include "basic/macros.h"

/* Returns an exit code. */
MUST_CHECK int mem_main(int argc, char **argv);
