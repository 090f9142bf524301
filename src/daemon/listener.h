/*
 * A socket that others connect to, at a path where others may have been before.
 *
 * The server replaces what is at the path only if it is a socket on which no process listens any
 * more. It leaves the socket of a running server alone, and anything that is not a socket (a file,
 * a directory, a link). Servers that start at the same time exclude each other by a lock on the
 * directory.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/loop.h"

#include <stdbool.h>
#include <sys/stat.h>

struct listener {
	struct watch watch;
	char *path;
	dev_t dev; /* of the path, so that no other is removed at the end */
	ino_t ino;
	bool given; /* by systemd, which made the path and will remove it */
};

/*
 * Makes the socket and its last directory if need be. -EADDRINUSE: a server
 * lives there. -ENOTSOCK: something else does. -EPERM: another user could
 * replace it in its directory. Others as the kernel gives them.
 */
MUST_CHECK int listener_open(struct listener *listener, const char *path, int type);

/* Takes a listening socket as it is. */
MUST_CHECK int listener_adopt(struct listener *listener, int fd);

/* Closes it, and removes the path if it is still ours. */
void listener_close(struct listener *listener);

/* Where the server's own socket is, unless an option names it. NULL: no directory is known. */
char *listener_usual_path(void);
