/* The files that a process maps as code, from /proc/PID/maps: TT-Metal is one of them. */
#pragma once

#include "basic/macros.h"
#include "basic/root.h"

#include <stdint.h>
#include <sys/types.h>

struct metal_mapping {
	uint64_t start, end;
	uint64_t inode;
	unsigned major, minor; /* of its file system */
	/* in the mount namespace of that process; may end in " (deleted)" */
	const char *path;
};

/*
 * Calls visit() once for each file, until it returns nonzero; returns that. Modifies the text.
 * Lines that are not mappings of files are skipped.
 */
MUST_CHECK int metal_mapped_each(char *text,
				 int (*visit)(const struct metal_mapping *mapping, void *arg),
				 void *arg);

/* The same for the files of a process. -errno: its mappings cannot be read. */
MUST_CHECK int metal_mapped_each_of(const struct root *root, pid_t pid,
				    int (*visit)(const struct metal_mapping *mapping, void *arg),
				    void *arg);

/*
 * Opens such a file for reading. Only regular files are opened. On a live machine through
 * map_files, which reaches into containers and to deleted files but needs privileges, else by its
 * path below the root of that process. -errno.
 */
MUST_CHECK int metal_mapped_open(const struct root *root, pid_t pid,
				 const struct metal_mapping *mapping);
