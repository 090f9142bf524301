/*
 * Checks whether adopted tables are still open in their processes. Such a client has no connection
 * that would hang up, so the server notices exec() only by this. It is a job with a deadline, since
 * reading /proc can block.
 */
#pragma once

#include "basic/worker_pool.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The descriptor in a process as which an adopted table was found. */
struct observed_link {
	uint64_t name; /* chosen by the caller */
	pid_t pid;
	int number;
	dev_t dev;
	ino_t ino;
};

struct link_check;

/*
 * Takes ownership of the links (from malloc()). Returns the names of those that are closed; the
 * caller frees them; NULL: none. *check holds a check that blocks; until it finishes, no new one is
 * started.
 */
uint64_t *links_check(struct link_check **check, struct worker_pool *workers,
		      struct observed_link *links, size_t count, size_t *ret_count);

/* Takes NULL, returns NULL. It must not be running. */
struct link_check *link_check_free(struct link_check *check);
