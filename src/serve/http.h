/*
 * The HTTP server: serves the records of a collector. One thread, the caller's, serves all clients.
 * Each client has a share of connections, and a deadline for each request.
 */
#pragma once

#include "basic/macros.h"
#include "serve/collector.h"
#include "serve/serve_options.h"

#include <stdint.h>

struct http_server;

/* Takes the listening socket, also on failure. The others must outlive the server. -errno. */
MUST_CHECK int http_server_new(int listen_fd, struct collector *collector,
			       const struct serve_options *options, struct http_server **ret);
void http_server_free(struct http_server *server);

/* Readable when there is something to do. */
int http_server_fd(const struct http_server *server);

/* Serves what is ready. Returns the time until the next call at the latest, in milliseconds. */
int http_server_run(struct http_server *server);
