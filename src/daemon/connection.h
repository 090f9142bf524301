/*
 * A connection on the server's own socket. docs/protocol.md has the messages.
 *
 *	NEW ──HELLO──> CLIENT              silent until it hangs up
 *	 └───SNAPSHOT, DUMP──> MONITOR <──> FULL
 *
 * Nothing is buffered: a packet is a message, and an answer is one packet, sent
 * or not. A monitor that has not read its last answer is not listened to.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/list.h"
#include "daemon/loop.h"

#include <stdint.h>
#include <sys/types.h>

struct client;
struct manager;
struct user;

enum connection_state {
	CONNECTION_NEW,	    /* no message yet: a deadline runs */
	CONNECTION_CLIENT,  /* handed over a table */
	CONNECTION_MONITOR, /* asks now and then */
	CONNECTION_FULL,    /* a monitor whose last answer is still unread */
};

struct connection {
	struct manager *manager;
	struct list member;
	struct watch watch;
	struct timer deadline;
	enum connection_state state;
	pid_t pid;
	uid_t uid;
	struct user *user;     /* that it counts for */
	struct client *client; /* in state CLIENT */
	int32_t place;	       /* among all, while state_save() works */
};

/* Takes a fresh socket, or refuses it. */
void connection_accept(struct manager *manager, int fd);

/* Ends it, and its client with it. */
void connection_close(struct connection *connection);

/* One that was accepted by an earlier server, in the state it had. */
MUST_CHECK int connection_restore(struct connection *connection);
