/* Messages of the server's own protocol, with their descriptors, over a socket that never waits. */
#pragma once

#include "basic/macros.h"
#include "proto/wire.h"

#include <stdint.h>

/*
 * One message, and its descriptor or -1, which is the caller's. -EAGAIN: none
 * there. -ECONNRESET: the peer is gone. -EBADMSG, -EPROTONOSUPPORT: as
 * wire_decode(); whatever descriptors came with it are closed.
 */
MUST_CHECK int packet_receive(int sock, struct wire_message *ret, int *ret_fd);

/* -EAGAIN: the peer does not read. -ECONNRESET: it is gone. */
int packet_send(int sock, const struct wire_message *message);

/* The next bytes of an answer, at most WIRE_DATA_MAX. Returns how many; else as packet_send(). */
int packet_send_data(int sock, const char *data, size_t length);

/* Sends WIRE_ERROR, if the socket takes it. */
void packet_refuse(int sock, int error, uint32_t retry_ms, const char *why);
