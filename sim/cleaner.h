/*
 * Removes what tt_smi sim created, however it ends.
 *
 * A separate process holds the read end of a pipe and waits. When the other end closes, because
 * tt_smi sim has finished or was killed, it removes mounts and files. This is the only way of
 * cleaning up, so it is always exercised.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <sys/types.h>

struct cleaner {
	pid_t pid;
	int pipe;
};

/*
 * From now on the directory will be cleaned; `made`: also removed, since it did not exist before.
 */
MUST_CHECK int cleaner_start(struct cleaner *ret, const char *directory, bool made);

/* Cleans up now and waits for it. False if something is left. */
bool cleaner_finish(struct cleaner *c);

/* The same in this process, for a tree that could not be completed. */
bool cleaner_remove(const char *directory, bool made);
