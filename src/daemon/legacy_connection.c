#include "daemon/legacy_connection.h"

#include "daemon/fd_closer.h"
#include "daemon/user_log.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

void legacy_connection_close(struct legacy_connection *connection)
{
	struct legacy_connections *all = connection->all;
	int fd = connection->watch.fd;

	watch_stop(all->loop, &connection->watch);
	timer_stop(all->loop, &connection->quiet);
	turn_drop(&connection->turn);
	fd_closer_close(all->closer, fd);
	list_remove(&connection->member);
	user_give_back(connection->user, LIMIT_CLIENTS, 1);
	user_unref(connection->user);
	legacy_process_leave(&connection->link);
	probe_stop(&connection->probe);
	filter_wait_stop(&connection->filtered);
	device_filter_put(connection->filter);
	if (connection->pidfd >= 0)
		close(connection->pidfd);
	free(connection);
}

bool legacy_connection_has_unread(const struct legacy_connection *connection)
{
	int bytes = 0;

	return ioctl(connection->watch.fd, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

void legacy_connection_leave(struct legacy_connection *connection)
{
	struct loop *loop = connection->all->loop;

	if (!legacy_connection_has_unread(connection) ||
	    watch_change(loop, &connection->watch, EPOLLOUT | EPOLLET) < 0) {
		legacy_connection_close(connection);
		return;
	}
	timer_stop(loop, &connection->quiet);
	turn_drop(&connection->turn);
	probe_stop(&connection->probe);
	filter_wait_stop(&connection->filtered);
	legacy_process_leave(&connection->link);
	connection->state = LEGACY_LEAVING;
}

int legacy_refuse(struct legacy_connection *connection, const char *why)
{
	log_user(connection->user, LOG_REFUSED,
		 "legacy connection of %s, pid %d, uid %u closed: %s", connection->peer.name,
		 connection->peer.pid, connection->uid, why);
	return -EBADMSG;
}

void legacy_orphan(struct legacy_connection *connection)
{
	log_user(connection->user, LOG_IGNORED,
		 "legacy connection of pid %d, uid %u: its process has ended; its "
		 "reports are ignored",
		 connection->peer.pid, connection->uid);
	connection->orphan = true;
}

int legacy_connection_write(struct legacy_connection *connection)
{
	while (connection->out_at < connection->out_length) {
		ssize_t n = send(connection->watch.fd, connection->out + connection->out_at,
				 connection->out_length - connection->out_at,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		connection->out_at += (uint16_t)n;
	}
	return 1;
}
