/* Accepts connections on the server's own socket, and takes the messages that arrive on them. */
#pragma once

#include "basic/macros.h"

struct connection;
struct manager;

/* Takes a fresh socket, or refuses it. */
void connection_accept(struct manager *manager, int fd);

/* One that was accepted by an earlier server: NEW, CLIENT or MONITOR. */
MUST_CHECK int connection_restore(struct connection *connection);
