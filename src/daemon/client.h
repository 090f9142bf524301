/*
 * A reporter with a table (client_table.h): a process that sent it through a connection, or that
 * was found with it when the server started ("adopted").
 *
 * It ends when its connection hangs up or its process ends, whichever comes first. Its last values
 * then go into the accounts.
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

/* Shared state of all clients. */
struct clients {
	struct reporters *reporters;
	struct fd_closer *closer;
};

/* Member of the connection that sent the table. */
struct client_holder {
	struct client *client; /* NULL: none, or it has ended */
	/* Called when its process has ended and the client was freed. May free the holder. */
	void (*ended)(struct client_holder *holder);
};

struct client {
	struct reporter reporter;
	struct client_table table;
	struct clients *clients;
	struct client_holder *holder; /* NULL: adopted */
	int link;		      /* adopted: its descriptor number in /proc/PID/fd */
	uint64_t link_name;	      /* identifies it in clients_links() */
};

/*
 * Creates a client from a table that was sent by a connection or found as a link in /proc/PID/fd.
 * Takes both descriptors on success only. -EPERM: not sealed; -EPROTO: not a table, or not of this
 * process; -EPROTONOSUPPORT; -EALREADY: already received through a connection; -EUSERS: adopted,
 * and the limit is reached.
 */
MUST_CHECK int client_new(struct clients *clients, const struct peer *peer, int pidfd, int table,
			  struct client_holder *holder, int link, struct client **ret);

/*
 * The links of adopted tables, for the observer: they have no connection that would hang up, so the
 * server notices exec() only by checking them. The caller frees the result; NULL: none.
 */
struct observed_link *clients_links(struct clients *clients, size_t *ret_count);

/* The table of this link is no longer open: its process has executed another program. */
void clients_lost_link(struct clients *clients, uint64_t name);

/* Adds its account and frees it. The caller closes its connection, if it has one. */
void client_end(struct client *client);

/* Adds the account of a process that ended before it was probed. */
void client_account_ended(struct clients *clients, const struct peer *peer, int table);

extern const struct reporter_ops client_ops;

/* The client of a reporter; NULL if it is of another kind. */
static inline struct client *client_of(struct reporter *reporter)
{
	return reporter->ops == &client_ops ? container_of(reporter, struct client, reporter)
					    : NULL;
}
