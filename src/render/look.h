/* How an output may look: decided once, by the command line, locale and terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct look {
	const char *version;
	bool utf8;
	bool color;
	size_t columns; /* of the whole line */
};
