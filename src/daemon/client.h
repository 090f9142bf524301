/*
 * A reporter with a table (client_table.h): a process that handed it over through a connection, or
 * that was found with it when the server started ("adopted").
 *
 * It lasts until its connection hangs up or its process ends, whichever comes
 * first. Then its last values go into the accounts, and nothing of it is counted
 * any more.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/client_table.h"
#include "daemon/reporter.h"

#include <stddef.h>
#include <stdint.h>

struct client;
struct fd_closer;
struct observed_link;

/* What clients need. */
struct clients {
	struct reporters *reporters;
	struct fd_closer *closer;
};

/* Member of the connection that handed a table over. */
struct client_holder {
	struct client *client; /* NULL: none, or it has ended */
	/* Its process has ended, and the client with it. May free the holder. */
	void (*ended)(struct client_holder *holder);
};

struct client {
	struct reporter reporter;
	struct client_table table;
	struct clients *clients;
	struct client_holder *holder; /* NULL: adopted */
	int link;		      /* adopted: its number in /proc/PID/fd */
	uint64_t link_name;	      /* for the observer, see clients_links() */
};

/*
 * Takes a table of a process, handed over by a connection or found as a link in
 * its fd directory. On success both descriptors are the client's, on
 * failure they stay the caller's. -EPERM: not sealed; -EPROTO: no table, or not
 * of this process; -EPROTONOSUPPORT; -EALREADY: we have it from a connection;
 * -EUSERS if adopted and there are too many.
 */
MUST_CHECK int client_new(struct clients *clients, const struct peer *peer, int pidfd, int table,
			  struct client_holder *holder, int link, struct client **ret);

/*
 * The links of adopted tables, for the observer: with no connection that would hang up, the server
 * notices exec() only by checking them. To be freed; NULL if there are none.
 */
struct observed_link *clients_links(struct clients *clients, size_t *ret_count);

/* The table behind this link is no longer there: its process has executed another program. */
void clients_lost_link(struct clients *clients, uint64_t name);

/* Accounts for it and frees it. Its connection, if it has one, is the caller's to close. */
void client_end(struct client *client);

/* Accounts for the table of a peer that had ended before it could be described. */
void client_bury(struct clients *clients, const struct peer *peer, int table);

extern const struct reporter_ops client_ops;

/* The client behind a reporter; NULL: it reports in another way. */
static inline struct client *client_of(struct reporter *reporter)
{
	return reporter->ops == &client_ops ? container_of(reporter, struct client, reporter)
					    : NULL;
}
