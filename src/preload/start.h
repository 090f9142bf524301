/* How the program was started: see proto/preload.h. */
#pragma once

#include <stdbool.h>

bool start_is_quiet(void);

/* Is this process to be counted? Not so a child, if that was asked for. */
bool start_is_counted(void);
