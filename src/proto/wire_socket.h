/*
 * Messages (proto/wire.h) and their descriptors on the socket of tt_allocd. None of these calls
 * blocks.
 */
#pragma once

#include "basic/macros.h"
#include "proto/wire.h"

#include <stddef.h>
#include <sys/types.h>

/*
 * Returns a non-blocking socket. -ENOENT, -ECONNREFUSED: no server there. -EAGAIN: its backlog is
 * full.
 */
MUST_CHECK int wire_connect(const char *path);

/* Maximum descriptors per message: SCM_MAX_FD of the kernel. */
enum { MESSAGE_FDS_MAX = 253 };

struct message_fds {
	int fd[MESSAGE_FDS_MAX];
	unsigned count;
};

/*
 * Reads from a socket of either kind, together with all its descriptors: descriptors that the
 * buffer has no room for would be closed by the kernel in the reader's thread. *ret_flags: those of
 * recvmsg(). -EAGAIN: no data. -ECONNRESET: the peer has hung up.
 */
MUST_CHECK ssize_t wire_read(int sock, void *data, size_t size, int *ret_flags,
			     struct message_fds *ret);

/*
 * Receives one message; the caller owns its descriptors even on failure. -EAGAIN, -ECONNRESET: as
 * wire_read(). -EBADMSG, -EPROTONOSUPPORT: as wire_decode().
 */
MUST_CHECK int wire_receive_fds(int sock, struct wire_message *ret, struct message_fds *ret_fds);

/*
 * Receives one message, and its descriptor (owned by the caller) or -1. -EAGAIN: none available.
 * -ECONNRESET: the peer has hung up. -EBADMSG, -EPROTONOSUPPORT: as wire_decode(). Descriptors that
 * are not returned are closed.
 */
MUST_CHECK int wire_receive(int sock, struct wire_message *ret, int *ret_fd);

/*
 * Sends a message, with a descriptor unless it is -1. -EAGAIN: the socket buffer is full.
 * -ECONNRESET.
 */
int wire_send(int sock, const struct wire_message *message, int fd);

/*
 * Sends the next bytes of an answer as WIRE_DATA, at most WIRE_DATA_MAX. Returns their number; else
 * as wire_send().
 */
int wire_send_data(int sock, const char *data, size_t length);

/*
 * Receives WIRE_DATA of at most this many bytes. Returns their number, never 0; else as
 * wire_receive().
 */
MUST_CHECK int wire_receive_data(int sock, char *to, size_t room);
