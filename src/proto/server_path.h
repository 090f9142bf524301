/*
 * The path of tt_allocd's socket: where the server listens, and where its clients look for it. The
 * rules are in docs/protocol.md.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>

#define SERVER_PATH_SIZE 108 /* size of sun_path */

#define SERVER_PATH_SYSTEM "/run/tt-smi/allocd.sock"
#define SERVER_PATH_USER   "tt-smi/allocd.sock" /* below $XDG_RUNTIME_DIR */

/*
 * Where clients look, in this order: only at TT_ALLOCD_SOCKET if it is set, else at the system's
 * path and then at the user's.
 */
struct server_paths {
	char path[2][SERVER_PATH_SIZE];
	unsigned count;
};

/* -ENAMETOOLONG: TT_ALLOCD_SOCKET is too long. */
MUST_CHECK int server_paths_find(struct server_paths *ret);

/* Is TT_ALLOCD_SOCKET set? */
bool server_path_is_set(void);

/*
 * Where the server listens unless an option says otherwise: at TT_ALLOCD_SOCKET, in the
 * RUNTIME_DIRECTORY that systemd made, at the system's path for root, at the user's path for
 * others. The caller frees it. NULL: no directory is known, or no memory.
 */
char *server_path_to_listen(void);
