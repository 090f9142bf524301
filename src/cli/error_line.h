/* Errors: one line on standard error, with the name of the program. */
#pragma once

#include "basic/macros.h"

/* Returns the code, so that `return error_line(EXIT_USAGE, …)` reads well. */
int error_line(int code, const char *format, ...) PRINTF(2, 3);
