/*
 * The connections of the HTTP server and their deadlines. The library limits how long a connection
 * may be silent; these limit the time of a whole request, whatever the client sends meanwhile.
 */
#pragma once

#include "serve/address.h"

#include <microhttpd.h>
#include <stdint.h>

enum { MAX_CONNECTIONS = 256 };

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
	int64_t deadline_ns;
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
