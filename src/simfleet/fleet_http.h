/*
 * The HTTP server of a simulated fleet. One thread, the caller's, serves all clients; a page is
 * made on request, from the last sample of the simulated machine.
 */
#pragma once

#include "basic/macros.h"
#include "serve/collector.h"

#include <sys/socket.h>

struct fleet_http;

/* Takes the listening socket, also on failure. The collector must outlive the server. -errno. */
MUST_CHECK int fleet_http_new(int listen_fd, unsigned machines, struct collector *collector,
			      struct fleet_http **ret);
void fleet_http_free(struct fleet_http *server);

/* Readable when there is something to do. */
int fleet_http_fd(const struct fleet_http *server);

/* Serves what is ready. Returns the time until the next call at the latest, in milliseconds. */
int fleet_http_run(struct fleet_http *server);
