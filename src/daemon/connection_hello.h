/* HELLO: a process hands its table over, and the server finds out which process it is. */
#pragma once

#include "basic/macros.h"

struct connection;

/*
 * Takes the table and begins to probe the process; in the end the connection is a CLIENT, or
 * refused. -errno: refused already, see hello_error(); -ECONNRESET: the process has ended.
 */
MUST_CHECK int hello_take(struct connection *connection, int *table);

/* The text that the peer gets. */
const char *hello_error(int error);
