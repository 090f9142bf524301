/*
 * A connection on the server's own socket. docs/protocol.md has the messages.
 *
 *	NEW ──HELLO──> MEETING ──> CLIENT          silent until it hangs up
 *	 └───SNAPSHOT, DUMP──> ASKED ──> SENDING ──> UNREAD ──> MONITOR ──> ASKED …
 *
 * A message is read as soon as it arrives, whatever else there is to do; the answer is made and
 * sent when it is the user's turn (turns.h). A monitor that has not read its last
 * answer is not listened to. A connection that is refused stays until its peer has read why or has
 * hung up, since its socket buffer is memory of the server.
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

struct manager;
struct reply;
struct user;

enum connection_state {
	CONNECTION_NEW,	    /* no message yet: a deadline runs */
	CONNECTION_MEETING, /* handed over a table; its process is being probed */
	CONNECTION_CLIENT,  /* has handed over a table */
	CONNECTION_MONITOR, /* asks now and then */
	CONNECTION_ASKED,   /* waits for its turn */
	CONNECTION_SENDING, /* its answer is sent, in pieces */
	CONNECTION_UNREAD,  /* the last piece is sent, and not all of it is read */
	CONNECTION_REFUSED, /* so is the reason why it ends */
};

/* What the kernel may keep of an answer in the socket; it allows twice as much and one packet. */
enum { SOCKET_BUFFER = 208 << 10, BUFFERED_MOST = 512 << 10 };

/* A user whose answers are not read, or for which there is no memory, may ask again after this. */
enum { RETRY_MS = 100, RETRY_LONG_MS = 1000 };

struct connection {
	struct manager *manager;
	struct list member;
	struct watch watch;
	struct timer deadline;
	struct turn turn;
	enum connection_state state;
	enum limit counted; /* what it counts as, for its user */
	uint32_t events;    /* that are watched */
	pid_t pid;
	uid_t uid;
	struct user *user;
	struct client_holder holder; /* of its client, in state CLIENT */
	struct probe probe;	     /* in state MEETING, and these two */
	int table, pidfd;
	struct wire_message asked; /* from state ASKED on */
	struct reply *reply;	   /* in state SENDING */
	size_t sent;		   /* bytes of it */
	struct cards_wait wait;	   /* its answer waits for the observer */
	bool waited;		   /* and has done so */
	uint32_t buffered;	   /* units of LIMIT_PENDING for what lies in the socket */
	int32_t place;		   /* among all, while state_save() works */
};

/* Ends it, and its client with it. */
void connection_close(struct connection *connection);

/* Frees one that was never started. */
void connection_free(struct connection *connection);

/* Which of its user's limits it counts for. */
void connection_count_as(struct connection *connection, enum limit limit);

/* Past its first message: counts as a client. -EUSERS. */
MUST_CHECK int connection_promote(struct connection *connection);

void connection_drop_reply(struct connection *connection);

/* Is something in the socket that the peer has not read? */
bool connection_has_unread(const struct connection *connection);

/* Which events of its socket are watched from now on. */
MUST_CHECK int connection_listen(struct connection *connection, uint32_t events);

/* Refuses a question; the connection stays open. */
void connection_refuse(struct connection *connection, int error, uint32_t retry_ms,
		       const char *why);

/* Refuses the connection: it ends once its peer has read why. */
void connection_dismiss(struct connection *connection, int error, const char *why);
