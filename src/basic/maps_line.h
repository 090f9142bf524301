/* One line of /proc/PID/maps. A process has thousands, so scanf() would take most of the time. */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>

struct maps_line {
	uint64_t start, end;
	uint64_t inode;
	unsigned major, minor;
	bool is_executable;
	const char *name; /* a path, a name in brackets, or nothing; up to the end of the line */
};

/* "7f…-7f… r-xp 00001000 08:01 1234   /usr/lib/x.so". False: it is not such a line. */
MUST_CHECK bool maps_line_parse(const char *text, struct maps_line *ret);
