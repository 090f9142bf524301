/*
 * Finds tables of running programs as a monitor without a server does: as memfds in /proc/PID/fd.
 * An idle program does not notice that the server was restarted; this finds its table.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/macros.h"
#include "basic/root.h"
#include "daemon/peer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table of a running process. */
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
 * Each process is searched by a job of the worker pool with this deadline; one that cannot be read
 * in time is skipped. *ret is set even on failure, to NULL or the tables found so far.
 */
MUST_CHECK int table_search(const struct root *root, struct worker_pool *workers,
			    int64_t deadline_ns, struct table_search **ret);

/* close: close the descriptors, too. Takes NULL. */
void table_search_free(struct table_search *search, bool close);
