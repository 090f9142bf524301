/*
 * Which TT-Metal a process has loaded, and how it was started. Its files may be on a file system
 * that does not respond, so they are read with a deadline.
 */
#pragma once

#include "basic/root.h"
#include "metal/library.h"

#include <sys/types.h>

struct loaded {
	int maps_error;	   /* result of reading its mappings; -ETIMEDOUT: the read did not return */
	int library_error; /* -ENOENT: TT-Metal is not loaded */
	struct metal_library library;
	char path[256];
	bool replaced; /* it runs a deleted file, which only root can open */
	bool disabled; /* its counters are disabled */
};

void loaded_find(const struct root *root, pid_t pid, struct loaded *ret);
