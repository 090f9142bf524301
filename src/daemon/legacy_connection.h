/*
 * A connection of a program that was built against the first allocation server.
 *
 * Its records are decoded by proto/legacy.h; docs/protocol.md says what each does.
 *
 * When its process has ended the connection stays open, for a child may have inherited it and would
 * be killed by SIGPIPE; what arrives from then on is counted for no process.
 *
 * There is no handshake: the kernel names the peer when the first record arrives. A report that
 * makes no sense is ignored; only bytes that cannot be divided into records end the
 * connection, since clients of the original are killed by SIGPIPE. Only
 * queries are answered, one at a time: while an answer is due or unsent the next
 * record is not taken, so there is never more than one answer to keep.
 */
#pragma once

#include "daemon/device_filter.h"
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
struct manager;
struct user;

enum legacy_state {
	LEGACY_READING,	  /* takes records as they come */
	LEGACY_MEASURING, /* an answer is due, but the size of records is not known yet */
	LEGACY_WRITING,	  /* an answer is partly sent: nothing is read */
	LEGACY_MEETING,	  /* its first record waits until its process was probed */
	LEGACY_LEAVING,	  /* ends once its last answer is read: until then that is our memory */
};

enum { LEGACY_READ = 16384 };

struct legacy_connection {
	struct manager *manager;
	struct list member;
	struct watch watch;
	struct turn turn;
	struct timer quiet; /* no further byte for a moment: the record is whole */
	enum legacy_state state;
	bool known;  /* peer is filled */
	bool orphan; /* the process that connected has ended; a child may have the socket */
	bool logged; /* that a record was ignored: once per connection is enough */
	struct peer peer;
	uid_t uid;
	struct user *user;	      /* that it counts for */
	struct legacy_link link;      /* to the process that it reports for */
	struct device_filter *filter; /* NULL: asked nothing so far */
	struct legacy_stream stream;
	struct legacy_record due; /* the query to be answered, or the record that waits */
	void (*identified)(struct legacy_connection *connection); /* takes the record that waits */
	struct probe probe;
	struct filter_wait filtered;
	int pidfd; /* until its process has it; -1 */
	uint8_t out[LEGACY_SIZE_MAX];
	uint16_t out_at, out_length;
	uint8_t in[LEGACY_READ]; /* received, not yet taken */
	uint16_t in_at, in_length;
};

/* Ends it at once. */
void legacy_connection_close(struct legacy_connection *connection);

/* Ends it for its process, and closes it once the peer has read its last answer. */
void legacy_connection_leave(struct legacy_connection *connection);

/* Is something in the socket that the peer has not read? */
bool legacy_connection_has_unread(const struct legacy_connection *connection);

/* Logs why it ends. Returns -EBADMSG. */
int legacy_refuse(struct legacy_connection *connection, const char *why);

/* Its process has ended before it could be probed: what it reports is ignored. */
void legacy_miss(struct legacy_connection *connection);

/* Sends what is left of the answer. 1 when all of it is sent, 0 if the peer does not read. */
MUST_CHECK int legacy_connection_write(struct legacy_connection *connection);
