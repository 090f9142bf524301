/* Converts what was read about a process (source/proc_reader.h) to the process of the model. */
#pragma once

#include "source/proc_reader.h"
#include "source/source.h"
#include "source/usernames.h"

struct proc_fill {
	struct sample *sample;
	struct usernames *users;
	bool has_boot;
	double boot; /* seconds since 1970 */
};

/* The reader must have succeeded. */
void proc_fill(const struct proc_fill *fill, struct process *process,
	       const struct proc_reader *reader);
