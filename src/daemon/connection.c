#include "daemon/connection.h"

#include "daemon/fd_closer.h"
#include "daemon/packet.h"
#include "daemon/reply.h"
#include "daemon/user_log.h"

#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Minimum space that an unread packet occupies in the socket buffer. */
enum { UNREAD_LEAST = 64 };

void connection_free(struct connection *connection)
{
	user_unref(connection->user);
	free(connection);
}

/* Moves it to another of its user's limits. */
static void count_as(struct connection *connection, enum limit limit)
{
	user_give_back(connection->user, connection->counted, 1);
	user_count(connection->user, limit, 1);
	connection->counted = limit;
}

int connection_promote(struct connection *connection)
{
	if (connection->counted == LIMIT_CLIENTS)
		return 0;
	if (!user_room(connection->user, LIMIT_CLIENTS))
		return -EUSERS;
	count_as(connection, LIMIT_CLIENTS);
	timer_stop(connection->all->loop, &connection->deadline);
	return 0;
}

void connection_drop_reply(struct connection *connection)
{
	if (connection->reply)
		reply_release(connection->reply, connection->user);
	connection->reply = NULL;
	connection->sent = 0;
}

static void connection_drop_fds(struct connection *connection)
{
	if (connection->table >= 0)
		fd_closer_close(connection->all->closer, connection->table);
	if (connection->pidfd >= 0)
		close(connection->pidfd);
	connection->table = connection->pidfd = -1;
}

/* Releases everything except the socket. */
static void connection_quit(struct connection *connection)
{
	if (connection->holder.client)
		client_end(connection->holder.client);
	probe_stop(&connection->probe);
	connection_drop_fds(connection);
	turn_drop(&connection->turn);
	cards_wait_stop(&connection->wait);
	timer_stop(connection->all->loop, &connection->deadline);
	connection_drop_reply(connection);
}

void connection_close(struct connection *connection)
{
	int fd = connection->watch.fd;

	connection_quit(connection);
	watch_stop(connection->all->loop, &connection->watch);
	fd_closer_close(connection->all->closer, fd);
	list_remove(&connection->member);
	user_give_back(connection->user, LIMIT_PENDING, connection->buffered);
	user_give_back(connection->user, connection->counted, 1);
	connection_free(connection);
}

bool connection_has_unread(const struct connection *connection)
{
	int bytes = 0;

	return ioctl(connection->watch.fd, SIOCOUTQ, &bytes) == 0 && bytes >= UNREAD_LEAST;
}

int connection_listen(struct connection *connection, uint32_t events)
{
	if (connection->events == events)
		return 0;
	connection->events = events;
	return watch_change(connection->all->loop, &connection->watch, events);
}

static void log_refusal(const struct connection *connection, const char *why)
{
	log_user(connection->user, LOG_REFUSED, "connection of pid %d, uid %u: %s", connection->pid,
		 connection->uid, why);
}

void connection_refuse(struct connection *connection, int error, uint32_t retry_ms, const char *why)
{
	log_refusal(connection, why);
	packet_refuse(connection->watch.fd, error, retry_ms, why);
}

/*
 * A user with too many unread refusals gets no further reasons.
 */
void connection_dismiss(struct connection *connection, int error, const char *why)
{
	bool explained = user_room(connection->user, LIMIT_REFUSED) > 0;

	connection_quit(connection);
	log_refusal(connection, why);
	if (explained)
		packet_refuse(connection->watch.fd, error, 0, why);
	if (!explained || !connection_has_unread(connection) ||
	    connection_listen(connection, EPOLLOUT | EPOLLET) < 0) {
		connection_close(connection);
		return;
	}
	count_as(connection, LIMIT_REFUSED);
	connection->state = CONNECTION_REFUSED;
}
