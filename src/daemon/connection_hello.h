/* HELLO: a process sends its table, and the server identifies the process. */
#pragma once

#include "basic/macros.h"

struct connection;

/*
 * Takes the table and starts to probe the process; afterwards the connection is a CLIENT or
 * refused. -errno: refused immediately, see hello_error(); -ECONNRESET: the process has ended.
 */
MUST_CHECK int hello_take(struct connection *connection, int *table);

/* The text sent to the peer. */
const char *hello_error(int error);
