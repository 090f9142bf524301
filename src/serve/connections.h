/*
 * The connections of the HTTP server, their deadlines and their number. The library limits how long
 * a connection may be silent; the deadlines limit the time of a whole request, whatever the client
 * sends meanwhile. If there are too many connections, one of the address with the most has to end,
 * so no address can keep others out.
 */
#pragma once

#include "serve/address.h"

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	MAX_CONNECTIONS = 256,
	/* Room for new ones while those that have to end are being closed. */
	SPARE_CONNECTIONS = 32,
	MAX_STREAMS = 64,
	MAX_STREAMS_PER_ADDRESS = 32,
};

/* What is known about the password of a request. */
enum auth_state {
	AUTH_UNKNOWN, /* not looked at yet */
	AUTH_PENDING, /* being verified */
	AUTH_GRANTED,
	AUTH_MISSING, /* it has none */
	AUTH_WRONG,
	AUTH_RATIONED, /* too many from its address */
	AUTH_BUSY,     /* too many in all */
};

struct http_connection {
	int fd; /* -1: unused */
	struct address_key client;
	int64_t begun_ns; /* its request, its answer, or the pause between two requests */
	int64_t deadline_ns;
	bool is_stream;
	bool ending;	      /* shut down; the library will close it */
	enum auth_state auth; /* of its current request */
};

struct connection_table {
	struct http_connection list[MAX_CONNECTIONS];
};

void connections_init(struct connection_table *table);

/* NULL: the connection has none, since there were too many. */
struct http_connection *connection_entry(struct MHD_Connection *connection);

/* The headers of its request are complete: its answer gets a deadline of its own. */
void connection_begin_answer(struct MHD_Connection *connection);

/*
 * The answer that the connection gets now is a stream, for which a stream of an address with more
 * of them may have to end. False: there are too many.
 */
bool connection_begin_stream(struct connection_table *table, struct http_connection *entry);

/*
 * The number of streams, or of other connections; of a client, or of all (NULL). Those that are
 * ending do not count.
 */
unsigned connections_count(const struct connection_table *table, bool streams,
			   const struct address_key *client);

/*
 * Which of these has to end if there are too many: of the address with the most, the one whose
 * request, answer or pause began first. NULL: there is none.
 */
struct http_connection *connections_choose(struct connection_table *table, bool streams);

/* Shuts down connections whose time is over. The library then sees their end, and closes them. */
void connections_end_late(struct connection_table *table);

/*
 * The callbacks of the library: a connection (arg is the table), the first line, the answer's end.
 */
void connection_notify(void *arg, struct MHD_Connection *connection, void **context,
		       enum MHD_ConnectionNotificationCode code);
void *connection_begin_request(void *arg, const char *uri, struct MHD_Connection *connection);
void connection_end_request(void *arg, struct MHD_Connection *connection, void **context,
			    enum MHD_RequestTerminationCode code);
