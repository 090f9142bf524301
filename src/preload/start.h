/* How the program was started: see proto/preload.h. */
#pragma once

#include <stdbool.h>

bool start_is_quiet(void);

/* False in a child process of a program that was started with `tt_smi run --no-children`. */
bool start_is_counted(void);
