/*
 * A connection of a program that uses the legacy protocol.
 *
 * Its records are decoded by proto/legacy.h and described in docs/protocol.md.
 *
 * The connection stays open after its process has ended, since a child may have inherited it and
 * would be killed by SIGPIPE; what arrives afterwards is not counted.
 *
 * There is no handshake: the peer is identified when the first record arrives. An invalid report is
 * ignored; only data that cannot be divided into records closes the connection, because the
 * original client library is killed by SIGPIPE. Only queries are answered, one at a time: no record
 * is processed while an answer is pending, so at most one answer is buffered.
 */
#pragma once

#include "daemon/device_filter.h"
#include "daemon/legacy_answer.h"
#include "daemon/legacy_process.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "daemon/process_probe.h"
#include "daemon/peer.h"
#include "daemon/turns.h"
#include "proto/legacy.h"

#include <stdbool.h>
#include <stdint.h>

struct device_filter;
struct fd_closer;
struct user;
struct users;

enum legacy_state {
	LEGACY_READING,	  /* handles records as they arrive */
	LEGACY_MEASURING, /* an answer is due, but the record size is not determined yet */
	LEGACY_WRITING,	  /* an answer is partly sent: nothing is read */
	LEGACY_PROBING,	  /* its first record waits until its process has been probed */
	/* closed when its last answer is read: until then that is memory of the server */
	LEGACY_LEAVING,
};

enum { LEGACY_READ = 16384 };

/* All legacy connections, and the parts of the server that they use. */
struct legacy_connections {
	struct list list; /* struct legacy_connection */
	struct loop *loop;
	struct users *users;
	struct turns *turns;
	struct probes *probes;
	struct device_filters *filters;
	struct legacy_processes *processes;
	struct legacy_answers *answers;
	struct fd_closer *closer;
};

struct legacy_connection {
	struct legacy_connections *all;
	struct list member;
	struct watch watch;
	struct turn turn;
	struct timer quiet; /* expires when no byte arrives for a while: the record is complete */
	enum legacy_state state;
	bool known;  /* peer is valid */
	bool orphan; /* the process that connected has ended; a child may have the socket */
	bool logged; /* an ignored record was logged: once per connection is enough */
	struct peer peer;
	uid_t uid;
	struct user *user;	      /* whose limits it counts against */
	struct legacy_link link;      /* to the process that it reports for */
	struct device_filter *filter; /* NULL: no query yet */
	struct legacy_stream stream;
	struct legacy_record due; /* the query to be answered, or the record that waits */
	void (*identified)(
		struct legacy_connection *connection); /* handles the record that waits */
	struct probe probe;
	struct filter_wait filtered;
	int pidfd; /* until it is passed to the legacy process; -1: none */
	uint8_t out[LEGACY_SIZE_MAX];
	uint16_t out_at, out_length;
	uint8_t in[LEGACY_READ]; /* received, not handled yet */
	uint16_t in_at, in_length;
};

/* Closes it at once. */
void legacy_connection_close(struct legacy_connection *connection);

/* Detaches it from its process, and closes it when the peer has read its last answer. */
void legacy_connection_leave(struct legacy_connection *connection);

/* Does its socket buffer have data that the peer has not read? */
bool legacy_connection_has_unread(const struct legacy_connection *connection);

/* Logs the reason for closing it. Returns -EBADMSG. */
int legacy_refuse(struct legacy_connection *connection, const char *why);

/* Its process ended before it could be probed: its reports are ignored. */
void legacy_orphan(struct legacy_connection *connection);

/* Sends the rest of the answer. 1: all of it was sent; 0: the socket buffer is full. */
MUST_CHECK int legacy_connection_write(struct legacy_connection *connection);
