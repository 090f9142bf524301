#include "daemon/sockets.h"

#include "basic/systemd.h"
#include "daemon/connection_accept.h"
#include "daemon/fd_closer.h"
#include "daemon/legacy_accept.h"
#include "daemon/log.h"
#include "daemon/user_log.h"
#include "daemon/manager.h"
#include "proto/server_path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Maximum accepted at once: a flood on one socket does not delay the others. */
enum { ACCEPT_BATCH = 32 };

/* No descriptor is left: releases the spare one, so that the peer at least gets a refusal. */
static void accept_without_fd(struct manager *manager, int listener)
{
	int fd;

	log_user(NULL, LOG_REFUSED, "connection refused: no descriptors left");
	close(manager->spare);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		fd_closer_close(manager->closer, fd);
	manager->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void accept_all(struct manager *manager, int listener,
		       void (*take)(struct manager *manager, int fd))
{
	for (int i = 0; i < ACCEPT_BATCH && !fd_closer_is_behind(manager->closer); i++) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0)
			take(manager, fd);
		else if (errno == EMFILE || errno == ENFILE)
			accept_without_fd(manager, listener);
		else if (errno != ECONNABORTED && errno != EINTR)
			return;
	}
}

static void own_take(struct manager *manager, int fd)
{
	connection_accept(&manager->connections, fd);
}

static void legacy_take(struct manager *manager, int fd)
{
	legacy_connection_accept(&manager->legacy_connections, fd);
}

static void own_ready(struct watch *watch, uint32_t events)
{
	(void)events;
	accept_all(container_of(watch, struct manager, own.watch), watch->fd, own_take);
}

static void legacy_ready(struct watch *watch, uint32_t events)
{
	(void)events;
	accept_all(container_of(watch, struct manager, legacy.watch), watch->fd, legacy_take);
}

void sockets_init(struct manager *manager)
{
	manager->own.watch = (struct watch){ .fd = -1, .ready = own_ready };
	manager->legacy.watch = (struct watch){ .fd = -1, .ready = legacy_ready };
}

static const char *listen_error(int error)
{
	switch (error) {
	case -EADDRINUSE: return "another server listens there";
	case -ENOTSOCK: return "it exists and is not a socket";
	case -EPERM: return "another user could replace files in its directory";
	default: return strerror(-error);
	}
}

static int own_open(struct manager *manager)
{
	CLEANUP_FREE char *by_default = server_path_to_listen();
	const char *path = manager->options->socket ? manager->options->socket : by_default;
	int r;

	if (!path) {
		log_line(LOG_FAULT, "no directory for the socket: use --socket or set "
				    "XDG_RUNTIME_DIR");
		return -ENOENT;
	}
	r = listener_open(&manager->own, path, SOCK_SEQPACKET);
	if (r < 0)
		log_line(LOG_FAULT, "cannot listen on %s: %s", path, listen_error(r));
	return r;
}

/*
 * Any user may create this name in /tmp. That is an error only if the path was given on the command
 * line; else the server continues without the legacy socket.
 */
static int legacy_open(struct manager *manager)
{
	const char *path = manager->options->legacy;
	int r;

	if (!path)
		return 0;
	r = listener_open(&manager->legacy, path, SOCK_STREAM);
	if (r >= 0)
		return 0;
	log_line(LOG_FAULT, "cannot listen on %s: %s%s", path, listen_error(r),
		 manager->options->legacy_is_given ? "" : "; continuing without it");
	return manager->options->legacy_is_given ? r : 0;
}

/* Uses the sockets passed by systemd; their type distinguishes them. */
static int sockets_adopt(struct manager *manager)
{
	int count = systemd_sockets();

	for (int fd = SYSTEMD_FIRST_SOCKET; fd < SYSTEMD_FIRST_SOCKET + count; fd++) {
		socklen_t length = sizeof(int);
		int type = 0, r;
		struct listener *listener;

		if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) < 0)
			return -errno;
		listener = type == SOCK_SEQPACKET ? &manager->own : &manager->legacy;
		if ((type != SOCK_SEQPACKET && type != SOCK_STREAM) || listener->watch.fd >= 0)
			return -EINVAL;
		r = listener_adopt(listener, fd);
		if (r < 0)
			return r;
	}
	return 0;
}

int sockets_open(struct manager *manager)
{
	int r = sockets_adopt(manager);

	if (r < 0) {
		log_line(LOG_FAULT, "cannot use the sockets that systemd passed: %s", strerror(-r));
		return r;
	}
	if (manager->own.watch.fd < 0)
		r = own_open(manager);
	if (r >= 0 && manager->legacy.watch.fd < 0)
		r = legacy_open(manager);
	return r;
}

static int listener_start(struct manager *manager, struct listener *listener)
{
	int fd = listener->watch.fd;

	if (fd < 0)
		return 0;
	return watch_start(&manager->loop, &listener->watch, fd, EPOLLIN);
}

int sockets_start(struct manager *manager)
{
	int r = listener_start(manager, &manager->own);

	return r < 0 ? r : listener_start(manager, &manager->legacy);
}

static void listener_end(struct manager *manager, struct listener *listener)
{
	int fd = listener->watch.fd;

	watch_stop(&manager->loop, &listener->watch);
	listener->watch.fd = fd;
	listener_close(listener);
}

void sockets_close(struct manager *manager)
{
	listener_end(manager, &manager->own);
	listener_end(manager, &manager->legacy);
}
