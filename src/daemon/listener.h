/*
 * A listening socket at a path that may be in use.
 *
 * The server replaces what is at the path only if it is a socket on which no process listens. It
 * never replaces the socket of a running server, or anything that is not a socket (a file, a
 * directory, a link). A lock on the directory serializes servers that start at the same time.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/loop.h"

#include <stdbool.h>
#include <sys/stat.h>

struct listener {
	struct watch watch;
	char *path;
	dev_t dev; /* identify the socket, so that no other one is removed at the end */
	ino_t ino;
	bool given; /* passed by systemd, which created the path and will remove it */
};

/*
 * Creates the socket, and the last directory of the path if it is missing. -EADDRINUSE: a server
 * listens there. -ENOTSOCK: the path is not a socket. -EPERM: another user could replace it in its
 * directory. Other errors are the kernel's.
 */
MUST_CHECK int listener_open(struct listener *listener, const char *path, int type);

/* Uses an existing listening socket. */
MUST_CHECK int listener_adopt(struct listener *listener, int fd);

/* Closes it, and removes the path if it is still this socket. */
void listener_close(struct listener *listener);
