#include "daemon/connection.h"

#include "basic/clock.h"
#include "daemon/answer.h"
#include "daemon/client.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/packet.h"
#include "proto/wire.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* An unread packet takes at least this much of the socket's buffer. */
enum { UNREAD_LEAST = 64 };

static void connection_ready(struct watch *watch, uint32_t events);
static void connection_late(struct timer *timer);

static uint32_t limit_of(const struct connection *connection, enum limit limit)
{
	return connection->manager->limits.value[limit];
}

/* Out of the count of those without a message, into that of clients. */
static int connection_promote(struct connection *connection, enum connection_state state)
{
	int r;

	if (connection->state != CONNECTION_NEW)
		return 0;
	r = user_take(connection->user, LIMIT_CLIENTS);
	if (r < 0)
		return r;
	user_give_back(connection->user, LIMIT_NEW, 1);
	timer_stop(&connection->manager->loop, &connection->deadline);
	connection->state = state;
	return 0;
}

/* What it is counted as. */
static enum limit connection_limit(const struct connection *connection)
{
	return connection->state == CONNECTION_NEW ? LIMIT_NEW : LIMIT_CLIENTS;
}

void connection_close(struct connection *connection)
{
	struct manager *manager = connection->manager;
	int fd = connection->watch.fd;

	if (connection->client)
		client_end(connection->client);
	watch_stop(&manager->loop, &connection->watch);
	timer_stop(&manager->loop, &connection->deadline);
	close(fd);
	list_remove(&connection->member);
	user_give_back(connection->user, connection_limit(connection), 1);
	user_unref(connection->user);
	free(connection);
}

/* Says no, in the log and to the peer, who may not listen. */
static void refuse(struct connection *connection, int error, uint32_t retry_ms, const char *why)
{
	log_user(connection->user, LOG_REFUSED, "connection of pid %d, uid %u: %s", connection->pid,
		 connection->uid, why);
	packet_refuse(connection->watch.fd, error, retry_ms, why);
}

static const char *hello_error(int error)
{
	switch (error) {
	case -EPERM: return "the table is not a memfd sealed against shrinking and growing";
	case -EPROTO: return "the descriptor is not a table of this process";
	case -EPROTONOSUPPORT: return "another version of the protocol or of the table";
	case -EALREADY: return "this table was handed over already";
	case -EUSERS: return "too many clients, in all or of this user";
	case -ESRCH: return "the process cannot be seen";
	default: return strerror(-error);
	}
}

static int connection_greet(struct connection *connection, int table)
{
	struct manager *manager = connection->manager;
	struct wire_message welcome = {
		.type = WIRE_WELCOME,
		.welcome.slot_limit = limit_of(connection, LIMIT_SLOTS),
	};
	CLEANUP_CLOSE int pidfd = -1;
	struct peer peer = { .pid = connection->pid, .uid = connection->uid };
	int r;

	r = peer_of_socket(connection->watch.fd, &peer, &pidfd);
	if (r == -ESRCH && peer.pid > 0)
		/* It came, said what it had, and went: the kernel has kept who it was. */
		client_bury(manager, &peer, table);
	if (r < 0)
		return r;
	r = connection_promote(connection, CONNECTION_CLIENT);
	if (r < 0)
		return r;
	r = client_new(manager, &peer, pidfd, table, connection, -1, &connection->client);
	if (r < 0)
		return r;
	TAKE_FD(pidfd);
	log_user(connection->user, LOG_PROGRAMS, "table of %s, pid %d, uid %u", peer.name, peer.pid,
		 peer.uid);
	packet_send(connection->watch.fd, &welcome, -1); /* it need not listen */
	return 0;
}

static int monitor_answer(struct connection *connection, const struct wire_message *asked,
			  int *ret_fd, uint64_t *ret_length)
{
	const struct asker asker = { connection->pid, connection->uid };
	const struct question question = { asked->snapshot.flags, asked->snapshot.pid };

	if (asked->type == WIRE_DUMP) {
		log_user(connection->user, LOG_DUMPS, "dump for pid %d, uid %u", connection->pid,
			 connection->uid);
		return answer_dump(connection->manager, &asker,
				   asked->dump.flags & WIRE_DUMP_KERNELS, ret_fd, ret_length);
	}
	return answer_snapshot(connection->manager, &asker, &question, ret_fd, ret_length);
}

/* Answers a question, or says why not; both leave the connection open. */
static int monitor_serve(struct connection *connection, const struct wire_message *asked)
{
	struct wire_message reply = {
		.type = asked->type == WIRE_DUMP ? WIRE_DUMP_REPLY : WIRE_SNAPSHOT_REPLY,
	};
	CLEANUP_CLOSE int fd = -1;
	uint32_t wait_ms;
	int r;

	r = connection_promote(connection, CONNECTION_MONITOR);
	if (r < 0)
		return r;
	wait_ms = user_ration(connection->user, clock_now(CLOCK_MONOTONIC));
	if (wait_ms) {
		refuse(connection, EAGAIN, wait_ms, "asks too often");
		return 0;
	}
	r = monitor_answer(connection, asked, &fd, &reply.reply.length);
	if (r == -ESRCH) {
		packet_refuse(connection->watch.fd, ESRCH, 0, "no such process is known");
		return 0;
	}
	if (r < 0) {
		refuse(connection, -r, 1000, strerror(-r));
		return 0;
	}
	r = packet_send(connection->watch.fd, &reply, fd);
	return r == -EAGAIN ? -ENOBUFS : r; /* cannot be: it is not listened to while full */
}

/* One message. -errno: refused, the connection ends. */
static int connection_take(struct connection *connection, const struct wire_message *message,
			   int *fd)
{
	int r;

	if (connection->state == CONNECTION_CLIENT)
		return -EBADMSG;
	switch (message->type) {
	case WIRE_HELLO:
		if (connection->state != CONNECTION_NEW)
			return -EBADMSG;
		if (message->hello.table_version != TABLE_VERSION)
			return -EPROTONOSUPPORT;
		r = connection_greet(connection, *fd);
		if (r >= 0)
			TAKE_FD(*fd);
		return r;
	case WIRE_SNAPSHOT:
	case WIRE_DUMP: return monitor_serve(connection, message);
	case WIRE_WELCOME:
	case WIRE_ERROR:
	case WIRE_SNAPSHOT_REPLY:
	case WIRE_DUMP_REPLY: break;
	}
	return -EBADMSG;
}

static bool has_unread(const struct connection *connection)
{
	int bytes = 0;

	return ioctl(connection->watch.fd, SIOCOUTQ, &bytes) == 0 && bytes >= UNREAD_LEAST;
}

/*
 * Stops or starts listening. While it does not listen it waits for the peer to
 * read: every packet that is read gives an edge of EPOLLOUT.
 */
static int connection_pause(struct connection *connection, bool pause)
{
	connection->state = pause ? CONNECTION_FULL : CONNECTION_MONITOR;
	return watch_change(&connection->manager->loop, &connection->watch,
			    pause ? EPOLLOUT | EPOLLET : EPOLLIN);
}

static int connection_receive(struct connection *connection)
{
	struct wire_message message;
	CLEANUP_CLOSE int fd = -1;
	int r;

	if (connection->state == CONNECTION_MONITOR && has_unread(connection))
		return connection_pause(connection, true);
	r = packet_receive(connection->watch.fd, &message, &fd);
	if (r == -EAGAIN)
		return 0;
	if (r == -ECONNRESET)
		return r;
	if (r >= 0)
		r = connection_take(connection, &message, &fd);
	if (r < 0 && r != -ECONNRESET)
		refuse(connection, -r, 0, r == -EBADMSG ? "not a message" : hello_error(r));
	return r;
}

static void connection_ready(struct watch *watch, uint32_t events)
{
	struct connection *connection = container_of(watch, struct connection, watch);
	int r;

	if (connection->state >= CONNECTION_MONITOR && events & (EPOLLHUP | EPOLLERR))
		r = -ECONNRESET; /* who asked has gone, and needs no answer */
	else if (connection->state == CONNECTION_FULL)
		r = has_unread(connection) ? 0 : connection_pause(connection, false);
	else if (connection->state != CONNECTION_CLIENT && !(events & EPOLLHUP) &&
		 loop_is_late(&connection->manager->loop))
		r = 0; /* questions can wait for the next turn */
	else
		r = connection_receive(connection);
	if (r < 0)
		connection_close(connection);
}

static void connection_late(struct timer *timer)
{
	struct connection *connection = container_of(timer, struct connection, deadline);

	refuse(connection, ETIMEDOUT, 0, "no message within the time for it");
	connection_close(connection);
}

int connection_restore(struct connection *connection)
{
	struct manager *manager = connection->manager;
	bool fresh = connection->state == CONNECTION_NEW;
	int fd = connection->watch.fd, r;

	connection->watch = (struct watch){ .fd = -1, .ready = connection_ready };
	connection->deadline = (struct timer){ .expired = connection_late };
	if (connection->state == CONNECTION_FULL)
		connection->state = CONNECTION_MONITOR; /* found out anew */
	connection->user = users_get(&manager->users, connection->uid);
	if (!connection->user)
		return -ENOMEM;
	r = user_take(connection->user, connection_limit(connection));
	if (r < 0)
		return r;
	r = watch_start(&manager->loop, &connection->watch, fd, EPOLLIN);
	if (r < 0) {
		user_give_back(connection->user, connection_limit(connection), 1);
		return r;
	}
	if (fresh)
		timer_set(&manager->loop, &connection->deadline,
			  limit_of(connection, LIMIT_HANDSHAKE) * NS_PER_MS);
	list_append(&manager->connections, &connection->member);
	return 0;
}

void connection_accept(struct manager *manager, int fd)
{
	struct connection *connection = calloc(1, sizeof(*connection));
	int r = -ENOMEM;

	if (!connection) {
		close(fd);
		return;
	}
	connection->manager = manager;
	connection->watch.fd = fd;
	r = peer_ask(fd, &connection->pid, &connection->uid);
	if (r == -ESRCH)
		r = 0; /* it may ask; a table would need to be somebody's */
	if (r >= 0)
		r = connection_restore(connection);
	if (r >= 0)
		return;
	connection->watch.fd = fd;
	refuse(connection, -r, 1000,
	       r == -EUSERS ? "too many connections that say nothing" : strerror(-r));
	close(fd);
	user_unref(connection->user);
	free(connection);
}
