/* What the server receives from peers that it does not trust, and its refusals. */
#pragma once

#include "basic/macros.h"
#include "daemon/fd_closer.h"
#include "proto/wire.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * Reads from a socket of either kind, with all descriptors that come with it: those for which a
 * reader leaves no room are closed by the kernel, in the reader's thread. *ret_flags: those of
 * recvmsg(). -EAGAIN: nothing there. -ECONNRESET: the peer has hung up.
 */
MUST_CHECK ssize_t packet_read(int sock, void *data, size_t size, int *ret_flags,
			       struct message_fds *ret);

/*
 * One message; its descriptors are the caller's also on failure. -EAGAIN, -ECONNRESET: as
 * packet_read(). -EBADMSG, -EPROTONOSUPPORT: as wire_decode().
 */
MUST_CHECK int packet_receive(int sock, struct wire_message *ret, struct message_fds *ret_fds);

/* Sends WIRE_ERROR, if the socket takes it. */
void packet_refuse(int sock, int error, uint32_t retry_ms, const char *why);
