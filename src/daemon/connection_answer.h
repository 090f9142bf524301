/*
 * Requests of a connection and their answers. A request is kept until its user has a turn and the
 * observer's sample is fresh; then the answer is made, announced and sent in pieces as the peer
 * reads them.
 */
#pragma once

#include "basic/macros.h"
#include "proto/wire.h"

#include <stdint.h>

struct connection;

void connection_answer_init(struct connection *connection);

/* Takes a request. -errno: the connection ends. */
MUST_CHECK int connection_ask(struct connection *connection, const struct wire_message *message);

/* To be called when its socket is ready while a request is pending. -errno: the connection ends. */
MUST_CHECK int connection_answer_ready(struct connection *connection, uint32_t events);
