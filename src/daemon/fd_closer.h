/*
 * Closes what clients handed over, off the loop's thread: close() can wait, for as long as the
 * client likes.
 *
 * - The last close of a TCP socket with SO_LINGER waits for its peer. A descriptor that lies unread
 *   in a Unix socket is closed with that socket. A signal ends the wait, so one thread closes all
 *   sockets and tables, with a signal every millisecond.
 * - Closing a FUSE file waits for its file system to answer FLUSH, and nothing ends that wait. Each
 *   message with other descriptors gets a thread of its own, DISCARDS_PER_USER at a
 *   time. A user that has so many is not listened to: its messages are dropped with their sockets,
 *   and the kernel drops unreceived FUSE files without FLUSH.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/loop.h"

#include <stdbool.h>
#include <stddef.h>

struct fd_closer;
struct user;

enum { DISCARDS_PER_USER = 4 };

/* The most descriptors in one message: SCM_MAX_FD of the kernel. */
enum { MESSAGE_FDS_MAX = 253 };

struct message_fds {
	int fd[MESSAGE_FDS_MAX];
	unsigned count;
};

MUST_CHECK int fd_closer_new(struct loop *loop, struct fd_closer **ret);

/* Waits for connections and tables; discards that hang are left to the end of the process. */
struct fd_closer *fd_closer_free(struct fd_closer *closer);

/* A connection or a table. The peer of a connection sees its end at once. */
void fd_closer_close(struct fd_closer *closer, int fd);

/* Are so many waiting that no connection is to be accepted for a moment? */
bool fd_closer_is_behind(struct fd_closer *closer);

/* Descriptors that the server did not ask for; what they are is unknown. */
void fd_closer_discard(struct fd_closer *closer, struct user *user, const struct message_fds *fds);

/* May descriptors of this user be received? */
bool fd_closer_accepts(const struct user *user);

/* Do discards hang? They would keep execve() waiting. */
bool fd_closer_hangs(const struct fd_closer *closer);
