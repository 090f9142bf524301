/*
 * A connection on the server's own socket. docs/protocol.md describes the messages.
 *
 *         NEW ──HELLO──> PROBING ──> CLIENT          silent until it hangs up
 *          └───SNAPSHOT, DUMP──> ASKED ──> SENDING ──> UNREAD ──> MONITOR ──> ASKED …
 *
 * Messages are read immediately; the answer is made and sent in the user's turn (turns.h). No
 * further message is read from a monitor until it has read its last answer. A refused connection
 * stays open until its peer has read the reason or hung up, since its socket buffer is memory of
 * the server.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/cards.h"
#include "daemon/client.h"
#include "daemon/limits.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "daemon/process_probe.h"
#include "daemon/turns.h"
#include "proto/wire.h"

#include <stdint.h>
#include <sys/types.h>

struct answers;
struct clients;
struct fd_closer;
struct reply;
struct user;
struct users;

enum connection_state {
	CONNECTION_NEW,	    /* no message yet: a deadline runs */
	CONNECTION_PROBING, /* sent a table; its process is being probed */
	CONNECTION_CLIENT,  /* sent a table */
	CONNECTION_MONITOR, /* may send requests */
	CONNECTION_ASKED,   /* waits for its turn */
	CONNECTION_SENDING, /* its answer is being sent, in pieces */
	CONNECTION_UNREAD,  /* the last piece is sent, but not read completely */
	CONNECTION_REFUSED, /* the same for a refusal, after which it ends */
};

/*
 * Maximum data of an answer in the socket buffer; the kernel allows twice the size set, plus one
 * packet.
 */
enum { SOCKET_BUFFER = 208 << 10, BUFFERED_MOST = 512 << 10 };

/* Retry times for users with too many unread answers, and for the server being out of memory. */
enum { RETRY_MS = 100, RETRY_LONG_MS = 1000 };

/* All connections, and the parts of the server that they use. */
struct connections {
	struct list list; /* struct connection */
	struct loop *loop;
	const struct limits *limits;
	struct users *users;
	struct turns *turns;
	struct cards *cards;
	struct probes *probes;
	struct clients *clients;
	struct answers *answers;
	struct fd_closer *closer;
};

struct connection {
	struct connections *all;
	struct list member;
	struct watch watch;
	struct timer deadline;
	struct turn turn;
	enum connection_state state;
	enum limit counted; /* the limit it is counted against */
	uint32_t events;    /* epoll events of its socket */
	pid_t pid;
	uid_t uid;
	struct user *user;
	struct client_holder holder; /* valid in state CLIENT */
	struct probe probe;	     /* these three: in state PROBING */
	int table, pidfd;
	struct wire_message request; /* from state ASKED on */
	struct reply *reply;	     /* in state SENDING */
	size_t sent;		     /* bytes of it that are sent */
	struct cards_wait wait;	     /* the wait of its answer for the observer */
	bool waited;		     /* that wait is over */
	uint32_t buffered;	     /* units of LIMIT_PENDING for data in the socket buffer */
	int32_t place;		     /* its index during state_save() */
};

/* Closes it and ends its client. */
void connection_close(struct connection *connection);

/* Frees a connection that was never started. */
void connection_free(struct connection *connection);

/* After its first message: counts it as a client. -EUSERS. */
MUST_CHECK int connection_promote(struct connection *connection);

void connection_drop_reply(struct connection *connection);

/* Does its socket buffer have data that the peer has not read? */
bool connection_has_unread(const struct connection *connection);

/* Sets the epoll events of its socket. */
MUST_CHECK int connection_listen(struct connection *connection, uint32_t events);

/* Refuses a request; the connection stays open. */
void connection_refuse(struct connection *connection, int error, uint32_t retry_ms,
		       const char *why);

/* Refuses the connection: it is closed when its peer has read the reason. */
void connection_dismiss(struct connection *connection, int error, const char *why);
