/* Other programs, executed for their output. */
#pragma once

#include "basic/macros.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * The first line that a program prints, without its newline; its length, 0 if there is none. Input
 * and error output are /dev/null. The program is killed after the deadline: -ETIMEDOUT. A longer
 * line is -EFBIG.
 */
MUST_CHECK ssize_t command_output_line(const char *path, const char *const *arguments,
				       int64_t deadline_ns, char *line, size_t size);
