/*
 * Removes what tt_smi sim made, however tt_smi sim ends.
 *
 * A process of its own holds the read end of a pipe and does nothing. When the
 * other end closes, because tt_smi sim has finished or was killed, it takes mounts
 * and files away. There is no second way to clean up, so this one always works.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <sys/types.h>

struct cleaner {
	pid_t pid;
	int pipe;
};

/* From now on the directory is ours; `made` if it was not there before. */
MUST_CHECK int cleaner_start(struct cleaner *ret, const char *directory, bool made);

/* Cleans up now, and returns when it is done: false if something is left. */
bool cleaner_finish(struct cleaner *c);

/* The same work, done here: for a tree that could not be finished. */
bool cleaner_remove(const char *directory, bool made);
