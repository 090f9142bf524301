/*
 * A table that a process publishes as a sealed memfd, found among its descriptors. See
 * shared-memory.md, "Duties of a reader".
 */
#pragma once

#include "basic/root.h"
#include "model/process.h"
#include "model/snapshot.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Opens a descriptor of a process, if it may be mapped and is at least that large. -EPERM: not
 * sealed.
 */
MUST_CHECK int table_file_open(const struct root *root, int32_t pid, int32_t descriptor,
			       size_t least);

/* Adds a problem of reading such a table to the snapshot, unless it is an ordinary one. */
void table_file_report(struct snapshot *snapshot, const char *source, int32_t pid,
		       int32_t descriptor, int error);

/*
 * Was a table that names this process as its writer written by it? After a fork a child may have
 * its parent's table open. start_ticks is 0 if the writer did not know it.
 */
bool table_file_is_own(const struct process *process, uint64_t pid, uint64_t start_ticks);
