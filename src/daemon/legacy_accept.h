/* Accepts legacy connections, and takes the records that arrive on them. */
#pragma once

#include "basic/macros.h"

struct legacy_connection;
struct manager;

/* Takes a fresh socket, and closes it again if there are too many. */
void legacy_connection_accept(struct manager *manager, int fd);

/* One that was accepted by an earlier server, as it was then. */
MUST_CHECK int legacy_connection_restore(struct legacy_connection *connection);
