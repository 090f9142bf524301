/*
 * The socket of tt_allocd: where it is, and messages (proto/wire.h) with their descriptors on it.
 * None of these calls waits.
 */
#pragma once

#include "basic/macros.h"
#include "proto/wire.h"

#include <stdbool.h>
#include <stddef.h>

#define WIRE_PATH_SIZE 108 /* of sun_path */

/*
 * Where a server may listen, in the order to try: at TT_ALLOCD_SOCKET only, if that is set, else
 * at the system's path and then at the user's.
 */
struct wire_paths {
	char path[2][WIRE_PATH_SIZE];
	unsigned count;
};

/* -ENAMETOOLONG: of TT_ALLOCD_SOCKET. */
MUST_CHECK int wire_find_paths(struct wire_paths *ret);

/* Is TT_ALLOCD_SOCKET set? */
bool wire_path_is_named(void);

/*
 * Returns a non-blocking socket. -ENOENT, -ECONNREFUSED: no server there. -EAGAIN: its queue is
 * full.
 */
MUST_CHECK int wire_connect(const char *path);

/*
 * Receives one message, and its descriptor or -1, which is the caller's. -EAGAIN: none is there.
 * -ECONNRESET: the peer is gone. -EBADMSG, -EPROTONOSUPPORT: as wire_decode(). Descriptors that
 * are not returned are closed.
 */
MUST_CHECK int wire_receive(int sock, struct wire_message *ret, int *ret_fd);

/* Sends a message, with a descriptor unless -1. -EAGAIN: the peer does not read. -ECONNRESET. */
int wire_send(int sock, const struct wire_message *message, int fd);

/*
 * Sends the next bytes of an answer as WIRE_DATA, at most WIRE_DATA_MAX. Returns how many; else as
 * wire_send().
 */
int wire_send_data(int sock, const char *data, size_t length);

/* Receives WIRE_DATA of at most so many bytes. Returns how many, never 0; else as wire_receive().
 */
MUST_CHECK int wire_receive_data(int sock, char *to, size_t room);
