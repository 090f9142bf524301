/* How text is rendered: decided once, from the command line, the locale and the terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct render_options {
	const char *version;
	bool utf8;
	bool color;
	size_t columns; /* of the whole line */
};
