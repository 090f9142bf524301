/*
 * The files that a process maps as code, from its /proc/PID/maps: TT-Metal is in one
 * of them, whatever its name.
 */
#pragma once

#include "basic/macros.h"
#include "basic/root.h"

#include <stdint.h>
#include <sys/types.h>

struct metal_mapping {
	uint64_t start, end;
	uint64_t inode;
	unsigned major, minor; /* of the file system */
	const char *path;      /* as that process sees it; may end in " (deleted)" */
};

/*
 * Calls visit for each file once, until it returns non-zero; returns that. The text is
 * cut into pieces on the way. Lines that are none are passed over.
 */
MUST_CHECK int metal_mapped_each(char *text,
				 int (*visit)(const struct metal_mapping *mapping, void *arg),
				 void *arg);

/* The same for the files of a process, if its mappings may be read; else -errno. */
MUST_CHECK int metal_mapped_each_of(const struct root *root, pid_t pid,
				    int (*visit)(const struct metal_mapping *mapping, void *arg),
				    void *arg);

/*
 * Opens such a file for reading, if it is a regular one: nothing else is ever opened.
 * On a live machine through map_files, which reaches into containers and to deleted
 * files but needs rights, else by its name in that process's root. -errno.
 */
MUST_CHECK int metal_mapped_open(const struct root *root, pid_t pid,
				 const struct metal_mapping *mapping);
