#include "proto/server_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

_Static_assert(SERVER_PATH_SIZE == sizeof(((struct sockaddr_un *)NULL)->sun_path),
	       "a path must fit into an address");

/* libttalloc may be part of a set-user-ID program, which must ignore its caller's variables. */
static const char *path_given(void)
{
	const char *path = secure_getenv("TT_ALLOCD_SOCKET");

	return path && path[0] ? path : NULL;
}

static const char *directory_given(const char *variable)
{
	const char *path = secure_getenv(variable);

	return path && path[0] == '/' ? path : NULL;
}

bool server_path_is_set(void)
{
	return path_given() != NULL;
}

int server_paths_find(struct server_paths *ret)
{
	const char *given = path_given(), *user = directory_given("XDG_RUNTIME_DIR");

	ret->count = 1;
	if (given) {
		if (strlen(given) >= SERVER_PATH_SIZE)
			return -ENAMETOOLONG;
		strcpy(ret->path[0], given);
		return 0;
	}
	strcpy(ret->path[0], SERVER_PATH_SYSTEM);
	if (user && strlen(user) + sizeof("/" SERVER_PATH_USER) <= SERVER_PATH_SIZE)
		sprintf(ret->path[ret->count++], "%s/%s", user, SERVER_PATH_USER);
	return 0;
}

char *server_path_to_listen(void)
{
	const char *systemd = directory_given("RUNTIME_DIRECTORY");
	const char *given = path_given(), *user = directory_given("XDG_RUNTIME_DIR");
	char *path = NULL;
	int r;

	if (given)
		return strdup(given);
	if (systemd) /* several directories are separated by colons; the first one is used */
		r = asprintf(&path, "%.*s/allocd.sock", (int)strcspn(systemd, ":"), systemd);
	else if (geteuid() == 0)
		return strdup(SERVER_PATH_SYSTEM);
	else
		r = user ? asprintf(&path, "%s/%s", user, SERVER_PATH_USER) : -1;
	return r < 0 ? NULL : path;
}
