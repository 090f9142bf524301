/* Counts the system calls of a program, with strace. */
#pragma once

#include "measure.h"

struct calls {
	unsigned long all;
	unsigned long sleeps; /* nanosleep and clock_nanosleep */
};

/* Is strace there, and may we use it? If not, says why in `why`. */
bool count_is_possible(const char *directory, char why[static 128]);

/* directory: where the report may be written. terminal: to run it on one; may be NULL. */
MUST_CHECK int count_calls(const struct command *command, const char *directory,
			   const struct terminal *terminal, struct calls *ret);
