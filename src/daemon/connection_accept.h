/* Accepts connections on the server's own socket and handles the messages that arrive. */
#pragma once

#include "basic/macros.h"

struct connection;
struct connections;

/* Takes ownership of a new socket, and may refuse it. */
void connection_accept(struct connections *connections, int fd);

/* A connection accepted by the server before a re-exec: NEW, CLIENT or MONITOR. */
MUST_CHECK int connection_restore(struct connection *connection);
