/*
 * The HTTP server: serves the records of a collector. One thread, the caller's, serves all clients.
 * Each client has a share of connections, and a deadline for each request.
 */
#pragma once

#include "basic/macros.h"
#include "serve/collector.h"
#include "serve/serve_options.h"

#include <stdint.h>

struct auth;
struct http_server;

/*
 * Takes the listening socket and auth (NULL: no passwords), also on failure. The others must
 * outlive the server. With options->tls_cert, tls_load() was called before. -errno.
 */
MUST_CHECK int http_server_new(int listen_fd, struct collector *collector,
			       const struct serve_options *options, struct auth *auth,
			       struct http_server **ret);
void http_server_free(struct http_server *server);

enum { HTTP_SERVER_FDS = 2 };

/* Each is readable when there is something to do; -1: not used. */
void http_server_fds(const struct http_server *server, int ret[HTTP_SERVER_FDS]);

/* Serves what is ready. Returns the time until the next call at the latest, in milliseconds. */
int http_server_run(struct http_server *server);
