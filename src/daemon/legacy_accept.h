/* Accepts legacy connections and handles the records that arrive. */
#pragma once

#include "basic/macros.h"

struct legacy_connection;
struct legacy_connections;

/* Takes ownership of a new socket; closes it if the limit is reached. */
void legacy_connection_accept(struct legacy_connections *connections, int fd);

/* A connection accepted by the server before a re-exec, in its state at that time. */
MUST_CHECK int legacy_connection_restore(struct legacy_connection *connection);
