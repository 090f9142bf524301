/*
 * Questions of a connection and their answers: kept until it is the user's turn and the observer's
 * last sample is fresh, then made, announced and sent in pieces as the peer reads them.
 */
#pragma once

#include "basic/macros.h"
#include "proto/wire.h"

#include <stdint.h>

struct connection;

void connection_answer_init(struct connection *connection);

/* Takes a question. -errno: the connection ends. */
MUST_CHECK int connection_ask(struct connection *connection, const struct wire_message *message);

/* Its socket is ready while an answer is due, sent or unread. -errno: the connection ends. */
MUST_CHECK int connection_answer_ready(struct connection *connection, uint32_t events);
