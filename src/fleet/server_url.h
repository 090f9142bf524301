/* The URL of a server, as a user gives it. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

struct server_url {
	struct buf base; /* "https://prom.example:9090/prefix", without a slash at its end */
	struct buf host; /* "prom.example:9090" */
};

/*
 * Accepts http and https, with a path but without user, query and fragment; "host:9090" means
 * http. Returns an exit code, with the reason in error. A URL with a user is not repeated there.
 */
MUST_CHECK int server_url_parse(const char *text, struct server_url *ret, struct buf *error);
void server_url_done(struct server_url *url);
