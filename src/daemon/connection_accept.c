#include "daemon/connection_accept.h"

#include "basic/clock.h"
#include "daemon/connection.h"
#include "daemon/connection_answer.h"
#include "daemon/connection_hello.h"
#include "daemon/fd_closer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Handles one message. -errno: refused, the connection ends. */
static int connection_take(struct connection *connection, const struct wire_message *message,
			   int *fd)
{
	if (connection->state == CONNECTION_CLIENT)
		return -EBADMSG;
	switch (message->type) {
	case WIRE_HELLO:
		if (connection->state != CONNECTION_NEW)
			return -EBADMSG;
		if (message->hello.table_version != TABLE_VERSION)
			return -EPROTONOSUPPORT;
		return hello_take(connection, fd);
	case WIRE_SNAPSHOT:
	case WIRE_DUMP: return connection_ask(connection, message);
	case WIRE_WELCOME:
	case WIRE_ERROR:
	case WIRE_SNAPSHOT_REPLY:
	case WIRE_DUMP_REPLY:
	case WIRE_ANSWER:
	case WIRE_DATA: break;
	}
	return -EBADMSG;
}

/*
 * Returns the only descriptor of a message if it is a memfd, else -1. It uses only a system call
 * that cannot block: fstat() and close() of other files may block for ever.
 */
static int message_memfd(const struct message_fds *fds)
{
	return fds->count == 1 && fcntl(fds->fd[0], F_GET_SEALS) >= 0 ? fds->fd[0] : -1;
}

static int connection_read(struct connection *connection)
{
	struct fd_closer *closer = connection->all->closer;
	struct wire_message message;
	struct message_fds fds;
	int table, r;

	if (!fd_closer_accepts(connection->user))
		return -EMFILE;
	r = wire_receive_fds(connection->watch.fd, &message, &fds);
	table = message_memfd(&fds);
	if (fds.count && table < 0) {
		fd_closer_discard(closer, connection->user, &fds);
		return r < 0 ? r : -EPERM;
	}
	if (r >= 0)
		r = connection_take(connection, &message, &table);
	if (table >= 0)
		fd_closer_close(closer, table);
	return r;
}

/* Returns false if the connection has ended. */
static bool connection_receive(struct connection *connection)
{
	int r = connection_read(connection);

	if (r >= 0 || r == -EAGAIN)
		return true;
	if (r == -ECONNRESET) {
		connection_close(connection);
		return false;
	}
	connection_dismiss(connection, -r, hello_error(r));
	return false;
}

static void connection_ready(struct watch *watch, uint32_t events)
{
	struct connection *connection = container_of(watch, struct connection, watch);
	int r = 0;

	switch (connection->state) {
	case CONNECTION_PROBING: return; /* resumed in connection_probed() */
	case CONNECTION_NEW:
	case CONNECTION_CLIENT: connection_receive(connection); return;
	case CONNECTION_MONITOR:
		if (!(events & (EPOLLHUP | EPOLLERR))) {
			connection_receive(connection);
			return;
		}
		r = -ECONNRESET; /* it hung up: no answer needed */
		break;
	case CONNECTION_ASKED:
	case CONNECTION_SENDING:
	case CONNECTION_UNREAD:
		r = events & (EPOLLHUP | EPOLLERR) ? -ECONNRESET
						   : connection_answer_ready(connection, events);
		break;
	case CONNECTION_REFUSED:
		r = events & (EPOLLHUP | EPOLLERR) || !connection_has_unread(connection)
			    ? -ECONNRESET
			    : 0;
		break;
	}
	if (r < 0)
		connection_close(connection);
}

/* The server itself may have been slow: a message that has arrived counts. */
static void connection_late(struct timer *timer)
{
	struct connection *connection = container_of(timer, struct connection, deadline);

	if (!connection_receive(connection) || connection->state != CONNECTION_NEW)
		return;
	connection_dismiss(connection, ETIMEDOUT, "no message within the handshake time");
}

static void connection_orphaned(struct client_holder *holder)
{
	connection_close(container_of(holder, struct connection, holder));
}

static void connection_init(struct connection *connection)
{
	connection->watch = (struct watch){ .fd = -1, .ready = connection_ready };
	connection->deadline = (struct timer){ .expired = connection_late };
	connection->table = connection->pidfd = -1;
	connection->holder.ended = connection_orphaned;
	connection_answer_init(connection);
	connection->counted = connection->state == CONNECTION_NEW ? LIMIT_NEW : LIMIT_CLIENTS;
	connection->events = EPOLLIN;
}

int connection_restore(struct connection *connection)
{
	struct connections *all = connection->all;
	int fd = connection->watch.fd, size = SOCKET_BUFFER, r;

	connection->user = users_get(all->users, connection->uid);
	if (!connection->user)
		return -ENOMEM;
	connection_init(connection);
	r = user_take(connection->user, connection->counted);
	if (r < 0)
		return r;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size,
		   sizeof(size)); /* on failure the system's default applies */
	r = watch_start(all->loop, &connection->watch, fd, EPOLLIN);
	if (r < 0) {
		user_give_back(connection->user, connection->counted, 1);
		return r;
	}
	if (connection->state == CONNECTION_NEW)
		timer_set(all->loop, &connection->deadline,
			  all->limits->value[LIMIT_HANDSHAKE] * NS_PER_MS);
	list_append(&all->list, &connection->member);
	return 0;
}

/* The limit is reached: sends the reason, unless its user has too many unread refusals. */
static void connection_reject(struct connection *connection, int fd, int error)
{
	connection->watch.fd = fd;
	if (connection->user && user_room(connection->user, LIMIT_REFUSED) &&
	    watch_start(connection->all->loop, &connection->watch, fd, EPOLLOUT | EPOLLET) >= 0) {
		connection_refuse(connection, -error, RETRY_LONG_MS,
				  error == -EUSERS ? "too many connections without a message"
						   : strerror(-error));
		connection->events = EPOLLOUT | EPOLLET;
		connection->counted = LIMIT_REFUSED;
		connection->state = CONNECTION_REFUSED;
		user_count(connection->user, LIMIT_REFUSED, 1);
		list_append(&connection->all->list, &connection->member);
		return;
	}
	fd_closer_close(connection->all->closer, fd);
	connection_free(connection);
}

void connection_accept(struct connections *connections, int fd)
{
	struct connection *connection = calloc(1, sizeof(*connection));
	int r = -ENOMEM;

	if (!connection) {
		fd_closer_close(connections->closer, fd);
		return;
	}
	connection->all = connections;
	connection->watch.fd = fd;
	r = peer_ask(fd, &connection->pid, &connection->uid);
	if (r == -ESRCH)
		r = 0; /* it may request snapshots, but a table needs a visible process */
	if (r >= 0)
		r = connection_restore(connection);
	if (r < 0)
		connection_reject(connection, fd, r);
}
