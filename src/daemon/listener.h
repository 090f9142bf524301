/*
 * A socket that others connect to, at a path where others may have been before.
 *
 * What lies at the path is replaced only if it is a socket at which nobody
 * listens any more. A living server keeps its place; anything else that is there
 * (a file, a directory, a link) is somebody's, and is left alone. While looking and
 * replacing, servers keep each other out by a lock on the directory.
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
	bool given; /* by systemd, who made the path and will remove it */
};

/*
 * Makes the socket and its last directory if need be. -EADDRINUSE: a server
 * lives there. -ENOTSOCK: something else does. -EPERM: its directory belongs to
 * somebody who could replace it. Others as the kernel gives them.
 */
MUST_CHECK int listener_open(struct listener *listener, const char *path, int type);

/* Takes a listening socket as it is. */
MUST_CHECK int listener_adopt(struct listener *listener, int fd);

/* Closes it, and removes the path if it is still ours. */
void listener_close(struct listener *listener);

/* Where the server's own socket is, if nobody said. NULL: no directory is known. */
char *listener_usual_path(void);
