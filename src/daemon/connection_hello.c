#include "daemon/connection_hello.h"

#include "daemon/connection.h"
#include "daemon/user_log.h"
#include "proto/wire_socket.h"

#include <errno.h>
#include <string.h>

const char *hello_error(int error)
{
	switch (error) {
	case -EPERM: return "the table is not a memfd sealed against shrinking and growing";
	case -EPROTO: return "the descriptor is not a table of this process";
	case -EPROTONOSUPPORT: return "another version of the protocol or of the table";
	case -EALREADY: return "this table was handed over already";
	case -EUSERS: return "too many clients, in total or of this user";
	case -EMFILE: return "descriptors that this user sent cannot be closed";
	case -ESRCH: return "the process is not visible to the server";
	case -EBADMSG: return "not a message";
	default: return strerror(-error);
	}
}

/* The process ended before it was probed: only its table is known. */
static void connection_account_ended(struct connection *connection)
{
	const struct peer peer = { .pid = connection->pid, .uid = connection->uid };

	client_account_ended(connection->all->clients, &peer, connection->table);
	connection_close(connection);
}

static int connection_welcome(struct connection *connection, const struct peer *peer)
{
	struct wire_message welcome = {
		.type = WIRE_WELCOME,
		.welcome.slot_limit = connection->all->limits->value[LIMIT_SLOTS],
	};
	struct client *client;
	int r;

	r = client_new(connection->all->clients, peer, connection->pidfd, connection->table,
		       &connection->holder, -1, &client);
	if (r < 0)
		return r;
	connection->table = connection->pidfd = -1;
	connection->state = CONNECTION_CLIENT;
	log_user(connection->user, LOG_PROGRAMS, "table of %s, pid %d, uid %u%s", peer->name,
		 peer->pid, peer->uid, peer->described ? "" : ", which does not answer");
	wire_send(connection->watch.fd, &welcome, -1); /* the client need not read it */
	return connection_listen(connection, EPOLLIN);
}

/* The probe is done. If the process could not be read, only its pid is known. */
static void connection_probed(struct probe *probe, const struct probe_result *result)
{
	struct connection *connection = container_of(probe, struct connection, probe);
	struct peer peer =
		result->error < 0 ? (struct peer){ .pid = connection->pid } : result->peer;
	int r;

	peer.uid = connection->uid; /* keep the uid at the time of connect() */
	if (result->error == -ESRCH) {
		connection_account_ended(connection);
		return;
	}
	r = connection_welcome(connection, &peer);
	if (r < 0)
		connection_dismiss(connection, -r, hello_error(r));
}

/* Takes the table. */
int hello_take(struct connection *connection, int *table)
{
	int r = connection_promote(connection);

	if (r < 0)
		return r;
	if (connection->pid <= 0)
		return -ESRCH;
	connection->table = TAKE_FD(*table);
	r = peer_pidfd(connection->watch.fd, connection->pid, &connection->pidfd);
	if (r == -ESRCH) {
		client_account_ended(
			connection->all->clients,
			&(struct peer){ .pid = connection->pid, .uid = connection->uid },
			connection->table);
		return -ECONNRESET;
	}
	connection->probe.done = connection_probed;
	if (r >= 0)
		r = probe_start(&connection->probe, connection->all->probes, PROBE_PEER,
				connection->pid, connection->uid, connection->pidfd);
	if (r < 0)
		return r;
	connection->state = CONNECTION_PROBING;
	/* Edge-triggered without EPOLLIN: a hang-up is handled after the probe. */
	return connection_listen(connection, EPOLLET);
}
