/*
 * Checks whether adopted tables are still open in their processes. Such a client has no connection
 * that would hang up, so the server notices exec() only by this. It is a job with a deadline,
 * since /proc need not answer.
 */
#pragma once

#include "basic/worker_pool.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The descriptor of a process that an adopted table was found as. */
struct observed_link {
	uint64_t name; /* the caller's */
	pid_t pid;
	int number;
	dev_t dev;
	ino_t ino;
};

struct link_check;

/*
 * Takes the links, from malloc(). Returns the names of those that are no longer there, to be freed;
 * NULL: none. *check keeps a check that blocks; while it does, none is begun.
 */
uint64_t *links_check(struct link_check **check, struct worker_pool *workers,
		      struct observed_link *links, size_t count, size_t *ret_count);

/* Takes NULL, returns NULL. It must not run any more. */
struct link_check *link_check_free(struct link_check *check);
