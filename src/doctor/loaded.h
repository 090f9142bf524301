/*
 * What a process has loaded, and how it was started. Its files may lie where nobody
 * answers, so the look has a deadline.
 */
#pragma once

#include "basic/root.h"
#include "metal/library.h"

#include <sys/types.h>

struct loaded {
	int maps_error;	   /* of looking at what it maps; -ETIMEDOUT: it did not come back */
	int library_error; /* -ENOENT: none of TT-Metal among it */
	struct metal_library library;
	char path[256];
	bool replaced; /* it runs a file that has no name any more, and only root can open */
	bool disabled; /* its counters were switched off */
};

void loaded_find(const struct root *root, pid_t pid, struct loaded *ret);
