/* How text is rendered. Derived once from the command line, the locale and the terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct render_options {
	const char *version;
	const char *command; /* by which the user calls tt_smi */
	bool can_trace;	     /* this tt_smi has the tracer */
	bool utf8;
	bool color;
	bool hide_owners; /* of processes, with their command lines: process_hide_owner() */
	size_t columns;	  /* of the whole line */
};
