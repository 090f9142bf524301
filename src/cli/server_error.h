/* Messages about the allocation server, for requests that need it. */
#pragma once

#include "basic/buf.h"

/*
 * Appends why the server cannot answer, with the path of its socket and the fix. error: of
 * server_connect_at() or of the request; why: the server's own reason, or "". Returns an exit code.
 */
int server_error(struct buf *out, int error, const char *path, const char *why);
