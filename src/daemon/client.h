/*
 * A table that the server reads: of a process that handed it over, or that was
 * found with it when the server started.
 *
 * It lasts until its connection hangs up or its process ends, whichever comes
 * first. Then its last values go into the accounts, and nothing of it is counted
 * any more. Only totals are mapped; the list of allocations is when it is asked for.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "daemon/reporter.h"
#include "proto/snapshot_image.h"
#include "proto/table.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct connection;
struct manager;
struct observed_link;
struct user;

struct client {
	struct reporter reporter;
	int table;
	dev_t dev;
	ino_t ino;
	const void *map; /* TABLE_SLOT_OFFSET bytes */
	struct table_view view;
	uint64_t there;		       /* devices whose cells have been seen to exist */
	struct connection *connection; /* NULL: adopted */
	int link;		       /* adopted: its number in /proc/PID/fd */
	uint64_t link_name;	       /* for the observer, see clients_links() */
};

/*
 * Takes a table of a process, handed over by a connection or found as a link in
 * its fd directory. On success both descriptors are the client's, on
 * failure they stay the caller's. -EPERM: not sealed; -EPROTO: no table, or not
 * of this process; -EPROTONOSUPPORT; -EALREADY: we have it from a connection;
 * -EUSERS if adopted and there are too many.
 */
MUST_CHECK int client_new(struct manager *manager, const struct peer *peer, int pidfd, int table,
			  struct connection *connection, int link, struct client **ret);

/*
 * The links of adopted tables, for the observer: with no connection that would hang up, exec() is
 * seen only by looking. To be freed; NULL if there are none.
 */
struct observed_link *clients_links(struct manager *manager, size_t *ret_count);

/* The table behind this link is no longer there: its program has gone on to something else. */
void clients_lost_link(struct manager *manager, uint64_t name);

/* Accounts for it and lets it go. Its connection, if it has one, is the caller's to close. */
void client_end(struct client *client);

/* The same without an account: when the server ends, nobody else does. */
struct client *client_free(struct client *client);

static inline bool client_is_preload(const struct client *client)
{
	return client->view.flags & TABLE_PRELOAD;
}

/* Tables that one process writes itself. */
uint32_t clients_count(struct manager *manager, const struct peer *peer);

/* Accounts for the table of a peer that had ended before it could be looked at. */
void client_bury(struct manager *manager, const struct peer *peer, int table);

extern const struct reporter_ops client_ops;

/* The table behind a reporter; NULL: it reports in another way. */
static inline struct client *client_of(struct reporter *reporter)
{
	return reporter->ops == &client_ops ? container_of(reporter, struct client, reporter)
					    : NULL;
}
