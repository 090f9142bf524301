/*
 * Closes descriptors that clients sent, outside the loop's thread, since a client can make close()
 * block for any length of time.
 *
 * - The last close of a TCP socket with SO_LINGER waits for its peer. A descriptor that lies unread
 *   in a Unix socket is closed with that socket. A signal interrupts the wait, so one thread closes
 *   all sockets and tables, interrupted by a signal every millisecond.
 * - Closing a FUSE file waits until its file system answers FLUSH, and cannot be interrupted. Each
 *   message with other descriptors gets its own thread, at most DISCARDS_PER_USER at a time. From a
 *   user at that limit no messages are received: they are dropped with their sockets, and the
 *   kernel drops unreceived FUSE files without FLUSH.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/loop.h"
#include "proto/wire_socket.h"

#include <stdbool.h>
#include <stddef.h>

struct fd_closer;
struct user;

enum { DISCARDS_PER_USER = 4 };

MUST_CHECK int fd_closer_new(struct loop *loop, struct fd_closer **ret);

/* Waits for sockets and tables; discards that hang are left to process exit. */
struct fd_closer *fd_closer_free(struct fd_closer *closer);

/* fd: a connection or a table. The peer of a connection sees the hang-up at once. */
void fd_closer_close(struct fd_closer *closer, int fd);

/* Is the queue so long that no connections should be accepted for now? */
bool fd_closer_is_behind(struct fd_closer *closer);

/* Closes descriptors that the server did not request, whose type is unknown. */
void fd_closer_discard(struct fd_closer *closer, struct user *user, const struct message_fds *fds);

/* May descriptors of this user be received? */
bool fd_closer_accepts(const struct user *user);

/* Are there discards that hang? They would block execve(). */
bool fd_closer_hangs(const struct fd_closer *closer);
