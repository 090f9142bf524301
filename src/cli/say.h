/* Errors: one line on standard error, with the name of the program. */
#pragma once

#include "basic/macros.h"

/* Returns the code, so that `return say(EXIT_USAGE, …)` reads well. */
int say(int code, const char *format, ...) PRINTF(2, 3);
