/* Error messages: one line on standard error, starting with the name of the program. */
#pragma once

#include "basic/macros.h"

/* Returns the code, for `return error_line(EXIT_USAGE, …)`. */
int error_line(int code, const char *format, ...) PRINTF(2, 3);
