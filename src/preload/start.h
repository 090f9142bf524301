/* How the program was started: see src/cli/run.c, which sets the environment. */
#pragma once

#include <stdbool.h>

#define PRELOAD_NAME  "libttalloc-preload.so"
#define PRELOAD_QUIET "TTALLOC_PRELOAD_QUIET" /* no lines on standard error */
#define PRELOAD_ONLY  "TTALLOC_PRELOAD_ONLY"  /* the only process that is to be counted */

bool start_is_quiet(void);

/* Is this process to be counted? Not so a child, if it was asked for. */
bool start_is_counted(void);
