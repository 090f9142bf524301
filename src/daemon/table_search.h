/*
 * Finds tables of programs that run already, as a monitor without a server does: as memfds in
 * /proc/PID/fd. A program that is idle does not notice that the server was started again; this
 * way it is not missed.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/macros.h"
#include "basic/root.h"
#include "daemon/peer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table of a process that runs already. */
struct found_table {
	struct peer peer;
	int pidfd, table;
	int link; /* its number in the fd directory */
};

struct table_search {
	struct found_table *list;
	size_t count;
};

/*
 * Each process is searched by a job of the worker pool with this deadline; one that does not answer
 * is left out. *ret is set also on failure, NULL or what was found until then.
 */
MUST_CHECK int table_search(const struct root *root, struct worker_pool *workers,
			    int64_t deadline_ns, struct table_search **ret);

/* close: the descriptors too. Takes NULL. */
void table_search_free(struct table_search *search, bool close);
