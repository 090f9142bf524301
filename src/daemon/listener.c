#include "daemon/listener.h"

#include "basic/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { BACKLOG = 4096 }; /* the kernel truncates it to its own limit */

static int address_make(const char *path, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(ret->sun_path))
		return -ENAMETOOLONG;
	memcpy(ret->sun_path, path, strlen(path) + 1);
	return 0;
}

/* Opens the directory of a path, and creates it if only its last component is missing. */
static int directory_open(const char *path)
{
	CLEANUP_FREE char *directory = strdup(path);
	char *slash;
	int fd;

	if (!directory)
		return -ENOMEM;
	slash = strrchr(directory, '/');
	if (slash == directory)
		slash[1] = '\0';
	else if (slash)
		*slash = '\0';
	else
		memcpy(directory, ".", 2); /* the name has at least one byte */
	if (mkdir(directory, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* May other users rename or remove files in it? */
static int directory_check(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return -EPERM;
	return st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX) ? -EPERM : 0;
}

/*
 * Keeps other servers out while this one checks and replaces the socket. Any user may hold a lock
 * on the directory for ever, so after half a second it continues without the lock.
 */
static void directory_lock(int fd)
{
	for (int i = 0; i < 50 && flock(fd, LOCK_EX | LOCK_NB) < 0; i++)
		usleep(10000);
}

/* Returns success if no process listens on this socket. Only a refused connection proves that. */
static int socket_check_dead(const struct sockaddr_un *address, int type)
{
	CLEANUP_CLOSE int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
		return -EADDRINUSE;
	if (errno == ECONNREFUSED)
		return 0;
	return errno == EACCES ? -EACCES : -EADDRINUSE;
}

/* Removes a socket on which no process listens. */
static int name_clear(const struct sockaddr_un *address, int type)
{
	struct stat st;
	int r;

	if (lstat(address->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	r = socket_check_dead(address, type);
	if (r < 0)
		return r;
	/* The name may be replaced in /tmp meanwhile, but unlink() does not follow links. */
	if (unlink(address->sun_path) < 0 && errno != ENOENT)
		return errno == EPERM ? -EACCES : -errno;
	return 0;
}

/* Any user may connect; bind() already creates the socket with the right mode. */
static int socket_bind(int fd, const struct sockaddr_un *address)
{
	mode_t before = umask(0111);
	int r = bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;

	umask(before);
	return r;
}

int listener_open(struct listener *listener, const char *path, int type)
{
	CLEANUP_CLOSE int fd = -1, directory = -1;
	struct sockaddr_un address;
	struct stat st;
	int r;

	r = address_make(path, &address);
	if (r < 0)
		return r;
	directory = directory_open(path);
	if (directory < 0)
		return directory;
	r = directory_check(directory);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;

	directory_lock(directory);
	r = name_clear(&address, type);
	if (r >= 0)
		r = socket_bind(fd, &address);
	if (r >= 0 && (lstat(path, &st) < 0 || listen(fd, BACKLOG) < 0))
		r = -errno;
	if (r < 0)
		return r;
	listener->path = strdup(path);
	if (!listener->path)
		return -ENOMEM;
	listener->dev = st.st_dev;
	listener->ino = st.st_ino;
	listener->watch.fd = TAKE_FD(fd);
	return 0;
}

int listener_adopt(struct listener *listener, int fd)
{
	struct sockaddr_un address = { 0 };
	socklen_t length = sizeof(address) - 1;

	if (getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		return -errno;
	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	listener->path = strdup(address.sun_path);
	if (!listener->path)
		return -ENOMEM;
	listener->given = true;
	listener->watch.fd = fd;
	return 0;
}

void listener_close(struct listener *listener)
{
	struct stat st;

	if (listener->watch.fd < 0)
		return;
	if (!listener->given && lstat(listener->path, &st) == 0 && st.st_dev == listener->dev &&
	    st.st_ino == listener->ino)
		unlink(listener->path);
	close(listener->watch.fd);
	free(listener->path);
	*listener = (struct listener){ .watch.fd = -1 };
}
