#include "daemon/connection.h"

#include "basic/clock.h"
#include "daemon/answer.h"
#include "daemon/fd_closer.h"
#include "daemon/user_log.h"
#include "daemon/manager.h"
#include "daemon/packet.h"
#include "daemon/reply.h"
#include "proto/wire_socket.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* An unread packet takes at least this much of the socket's buffer. */
enum { UNREAD_LEAST = 64 };

/* What the kernel may keep of an answer in the socket; it allows twice as much and one packet. */
enum { SOCKET_BUFFER = 208 << 10, BUFFERED_MOST = 512 << 10 };

/* Packets sent in one turn. */
enum { PACKETS_PER_TURN = 8 };

/* A user whose answers are not read, or for which there is no memory, may ask again after this. */
enum { RETRY_MS = 100, RETRY_LONG_MS = 1000 };

static void connection_ready(struct watch *watch, uint32_t events);
static void connection_late(struct timer *timer);
static bool connection_turn(struct turn *turn);

static void connection_free(struct connection *connection)
{
	user_unref(connection->user);
	free(connection);
}

static void connection_count_as(struct connection *connection, enum limit limit)
{
	user_give_back(connection->user, connection->counted, 1);
	user_count(connection->user, limit, 1);
	connection->counted = limit;
}

/* Past its first message. */
static int connection_promote(struct connection *connection)
{
	if (connection->counted == LIMIT_CLIENTS)
		return 0;
	if (!user_room(connection->user, LIMIT_CLIENTS))
		return -EUSERS;
	connection_count_as(connection, LIMIT_CLIENTS);
	timer_stop(&connection->manager->loop, &connection->deadline);
	return 0;
}

static void connection_drop_reply(struct connection *connection)
{
	if (connection->reply)
		reply_release(connection->reply, connection->user);
	connection->reply = NULL;
	connection->sent = 0;
}

static void connection_let_go(struct connection *connection)
{
	if (connection->table >= 0)
		fd_closer_close(connection->manager->closer, connection->table);
	if (connection->pidfd >= 0)
		close(connection->pidfd);
	connection->table = connection->pidfd = -1;
}

/* All that it has but its socket. */
static void connection_quit(struct connection *connection)
{
	if (connection->holder.client)
		client_end(connection->holder.client);
	probe_stop(&connection->probe);
	connection_let_go(connection);
	turn_drop(&connection->turn);
	cards_wait_stop(&connection->wait);
	timer_stop(&connection->manager->loop, &connection->deadline);
	connection_drop_reply(connection);
}

void connection_close(struct connection *connection)
{
	int fd = connection->watch.fd;

	connection_quit(connection);
	watch_stop(&connection->manager->loop, &connection->watch);
	fd_closer_close(connection->manager->closer, fd);
	list_remove(&connection->member);
	user_give_back(connection->user, LIMIT_PENDING, connection->buffered);
	user_give_back(connection->user, connection->counted, 1);
	connection_free(connection);
}

static void connection_orphaned(struct client_holder *holder)
{
	connection_close(container_of(holder, struct connection, holder));
}

/* Is something in the socket that the peer has not read? */
static bool has_unread(const struct connection *connection)
{
	int bytes = 0;

	return ioctl(connection->watch.fd, SIOCOUTQ, &bytes) == 0 && bytes >= UNREAD_LEAST;
}

static int connection_listen(struct connection *connection, uint32_t events)
{
	if (connection->events == events)
		return 0;
	connection->events = events;
	return watch_change(&connection->manager->loop, &connection->watch, events);
}

static void log_refusal(const struct connection *connection, const char *why)
{
	log_user(connection->user, LOG_REFUSED, "connection of pid %d, uid %u: %s", connection->pid,
		 connection->uid, why);
}

/* No to a question; the connection stays open. */
static void refuse(struct connection *connection, int error, uint32_t retry_ms, const char *why)
{
	log_refusal(connection, why);
	packet_refuse(connection->watch.fd, error, retry_ms, why);
}

/*
 * The end of it. It stays until its peer has read why; of a user that leaves too many such answers
 * unread the next ones are not told.
 */
static void connection_dismiss(struct connection *connection, int error, const char *why)
{
	bool told = user_room(connection->user, LIMIT_REFUSED) > 0;

	connection_quit(connection);
	log_refusal(connection, why);
	if (told)
		packet_refuse(connection->watch.fd, error, 0, why);
	if (!told || !has_unread(connection) ||
	    connection_listen(connection, EPOLLOUT | EPOLLET) < 0) {
		connection_close(connection);
		return;
	}
	connection_count_as(connection, LIMIT_REFUSED);
	connection->state = CONNECTION_REFUSED;
}

static const char *hello_error(int error)
{
	switch (error) {
	case -EPERM: return "the table is not a memfd sealed against shrinking and growing";
	case -EPROTO: return "the descriptor is not a table of this process";
	case -EPROTONOSUPPORT: return "another version of the protocol or of the table";
	case -EALREADY: return "this table was handed over already";
	case -EUSERS: return "too many clients, in all or of this user";
	case -EMFILE: return "descriptors that this user sent cannot be closed";
	case -ESRCH: return "the process cannot be seen";
	case -EBADMSG: return "not a message";
	default: return strerror(-error);
	}
}

/* It came, reported and ended before it was probed: its table is all that is known. */
static void connection_bury(struct connection *connection)
{
	const struct peer peer = { .pid = connection->pid, .uid = connection->uid };

	client_bury(&connection->manager->clients, &peer, connection->table);
	connection_close(connection);
}

static int connection_welcome(struct connection *connection, const struct peer *peer)
{
	struct manager *manager = connection->manager;
	struct wire_message welcome = {
		.type = WIRE_WELCOME,
		.welcome.slot_limit = manager->limits.value[LIMIT_SLOTS],
	};
	struct client *client;
	int r;

	r = client_new(&manager->clients, peer, connection->pidfd, connection->table,
		       &connection->holder, -1, &client);
	if (r < 0)
		return r;
	connection->table = connection->pidfd = -1;
	connection->state = CONNECTION_CLIENT;
	log_user(connection->user, LOG_PROGRAMS, "table of %s, pid %d, uid %u%s", peer->name,
		 peer->pid, peer->uid, peer->described ? "" : ", which does not answer");
	wire_send(connection->watch.fd, &welcome, -1); /* it need not listen */
	return connection_listen(connection, EPOLLIN);
}

/* Which process it is. One that does not answer is known by its number alone. */
static void connection_met(struct probe *probe, const struct probe_result *result)
{
	struct connection *connection = container_of(probe, struct connection, probe);
	struct peer peer =
		result->error < 0 ? (struct peer){ .pid = connection->pid } : result->peer;
	int r;

	peer.uid = connection->uid; /* as it was when it connected */
	if (result->error == -ESRCH) {
		connection_bury(connection);
		return;
	}
	r = connection_welcome(connection, &peer);
	if (r < 0)
		connection_dismiss(connection, -r, hello_error(r));
}

/* Takes the table. */
static int connection_greet(struct connection *connection, int *table)
{
	int r = connection_promote(connection);

	if (r < 0)
		return r;
	if (connection->pid <= 0)
		return -ESRCH;
	connection->table = TAKE_FD(*table);
	r = peer_pidfd(connection->watch.fd, connection->pid, &connection->pidfd);
	if (r == -ESRCH) {
		client_bury(&connection->manager->clients,
			    &(struct peer){ .pid = connection->pid, .uid = connection->uid },
			    connection->table);
		return -ECONNRESET;
	}
	if (r >= 0)
		r = probe_start(&connection->probe, connection->manager->probes, PROBE_PEER,
				connection->pid, connection->uid, connection->pidfd);
	if (r < 0)
		return r;
	connection->state = CONNECTION_MEETING;
	/* Its end is seen afterwards, with all that it reported. */
	return connection_listen(connection, EPOLLET);
}

static bool asks_for_stream(const struct wire_message *message)
{
	return message->type == WIRE_DUMP ? message->dump.flags & WIRE_DUMP_STREAM
					  : message->snapshot.flags & WIRE_WANT_STREAM;
}

/* A question is kept until it is the user's turn. */
static int connection_ask(struct connection *connection, const struct wire_message *message)
{
	int r = connection_promote(connection);

	if (r < 0)
		return r;
	if (!asks_for_stream(message)) {
		refuse(connection, EPROTONOSUPPORT, 0,
		       "this program is too old for tt_allocd " TT_SMI_VERSION
		       ": install both of one version");
		connection->state = CONNECTION_UNREAD;
		return 0;
	}
	connection->asked = *message;
	connection->state = CONNECTION_ASKED;
	connection->waited = false;
	turn_queue(&connection->manager->turns, &connection->turn);
	return 0;
}

/* One message. -errno: refused, the connection ends. */
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
		return connection_greet(connection, fd);
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
 * The one descriptor of a message if it is a memfd, else -1. Only these are touched: fstat() and
 * close() of others may wait for ever, which this question does not.
 */
static int message_memfd(const struct message_fds *fds)
{
	return fds->count == 1 && fcntl(fds->fd[0], F_GET_SEALS) >= 0 ? fds->fd[0] : -1;
}

static int connection_read(struct connection *connection)
{
	struct fd_closer *closer = connection->manager->closer;
	struct wire_message message;
	struct message_fds fds;
	int table, r;

	if (!fd_closer_accepts(connection->user))
		return -EMFILE;
	r = packet_receive(connection->watch.fd, &message, &fds);
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

/* Once the peer has read its answer, it is listened to again. */
static int connection_settle(struct connection *connection)
{
	if (has_unread(connection))
		return connection_listen(connection, EPOLLOUT | EPOLLET);
	user_give_back(connection->user, LIMIT_PENDING, connection->buffered);
	connection->buffered = 0;
	connection->state = CONNECTION_MONITOR;
	return connection_listen(connection, EPOLLIN);
}

/* Why there is no answer. The connection stays open. */
static void connection_explain(struct connection *connection, int error)
{
	char why[WIRE_TEXT];

	connection->state = CONNECTION_UNREAD;
	if (error == -ESRCH) {
		packet_refuse(connection->watch.fd, ESRCH, 0, "no such process is known");
		return;
	}
	if (error != -EAGAIN) {
		refuse(connection, -error, RETRY_LONG_MS, strerror(-error));
		return;
	}
	snprintf(why, sizeof(why), "answers that this user's programs do not read take %u KiB",
		 connection->user->used[LIMIT_PENDING]);
	refuse(connection, EAGAIN, RETRY_MS, why);
}

/* Finds or makes the answer. */
static int connection_answer(struct connection *connection)
{
	const struct asker asker = { connection->pid, connection->uid, connection->user };
	struct reply *reply;
	int r;

	if (connection->asked.type == WIRE_DUMP) {
		log_user(connection->user, LOG_DUMPS, "dump for pid %d, uid %u", connection->pid,
			 connection->uid);
		r = answer_dump(connection->manager, &asker,
				connection->asked.dump.flags & WIRE_DUMP_KERNELS, &reply);
	} else {
		const struct question question = {
			.flags = connection->asked.snapshot.flags & ~(uint32_t)WIRE_WANT_STREAM,
			.pid = connection->asked.snapshot.pid,
			.since_ns = connection->turn.since_ns,
		};

		r = answer_snapshot(connection->manager, &asker, &question, &reply);
	}
	if (r >= 0)
		r = reply_hold(reply, connection->user);
	if (r < 0)
		return r;
	connection->reply = reply;
	connection->sent = 0;
	connection->state = CONNECTION_SENDING;
	return 0;
}

static int connection_announce(struct connection *connection)
{
	const struct wire_message answer = {
		.type = WIRE_ANSWER,
		.reply.length = connection->reply->length,
	};
	int r = wire_send(connection->watch.fd, &answer, -1);

	if (r < 0)
		return r;
	connection->buffered = reply_units(MIN(connection->reply->length, BUFFERED_MOST));
	user_count(connection->user, LIMIT_PENDING, connection->buffered);
	return 0;
}

/* Sends as much as one turn allows. -EAGAIN: the peer has to read first. */
static int connection_send(struct connection *connection)
{
	struct reply *reply = connection->reply;

	for (int i = 0; i < PACKETS_PER_TURN && connection->sent < reply->length; i++) {
		int n = wire_send_data(connection->watch.fd, reply->data + connection->sent,
				       reply->length - connection->sent);

		if (n < 0)
			return n;
		connection->sent += (size_t)n;
		user_charge(connection->user, n); /* a ns for each byte, beside the time */
	}
	if (connection->sent < reply->length) {
		turn_queue(&connection->manager->turns, &connection->turn);
		return 0;
	}
	connection_drop_reply(connection);
	connection->state = CONNECTION_UNREAD;
	return 0;
}

/* May it ask? If not, it was told when to come back. */
static bool connection_ration(struct connection *connection)
{
	uint32_t wait_ms = user_wait_ms(connection->user);
	const struct limits *limits = &connection->manager->limits;
	char why[WIRE_TEXT];

	if (!wait_ms)
		return true;
	connection->state = CONNECTION_UNREAD;
	snprintf(why, sizeof(why), "this user's share of the server, %u ms a second, is used up",
		 limits->share[LIMIT_CPU]);
	refuse(connection, EAGAIN, wait_ms, why);
	return false;
}

static int connection_serve(struct connection *connection)
{
	int r;

	if (connection->state == CONNECTION_ASKED) {
		r = connection_answer(connection);
		if (r < 0) {
			connection_explain(connection, r);
			return 0;
		}
		r = connection_announce(connection);
		if (r < 0)
			return r;
	}
	r = connection_send(connection);
	return r == -EAGAIN ? connection_listen(connection, EPOLLOUT) : r;
}

static void connection_resume(struct cards_wait *wait)
{
	struct connection *connection = container_of(wait, struct connection, wait);

	turn_queue(&connection->manager->turns, &connection->turn);
}

/* Does the answer wait for the observer? */
static bool connection_waits(struct connection *connection)
{
	if (connection->waited || cards_are_fresh(&connection->manager->cards))
		return false;
	connection->waited = true;
	cards_wait_start(&connection->manager->cards, &connection->wait);
	return true;
}

/* A question that has to wait costs nothing, or the wait would be longer than was told. */
static bool connection_turn(struct turn *turn)
{
	struct connection *connection = container_of(turn, struct connection, turn);
	bool asked = connection->state == CONNECTION_ASKED, charged;
	int r;

	if (asked && connection_waits(connection))
		return false;
	charged = !asked || connection_ration(connection);
	r = charged ? connection_serve(connection) : 0;

	if (r >= 0 && connection->state == CONNECTION_UNREAD)
		r = connection_settle(connection);
	if (r < 0)
		connection_close(connection);
	return charged;
}

/* Something other than a question while one is being answered. */
static int connection_wait(struct connection *connection, uint32_t events)
{
	if (connection->state == CONNECTION_SENDING && events & EPOLLOUT) {
		turn_queue(&connection->manager->turns, &connection->turn);
		return connection_listen(connection, 0);
	}
	if (connection->state == CONNECTION_UNREAD)
		return connection_settle(connection);
	return connection_listen(connection, 0); /* the next question can wait */
}

static void connection_ready(struct watch *watch, uint32_t events)
{
	struct connection *connection = container_of(watch, struct connection, watch);
	int r = 0;

	switch (connection->state) {
	case CONNECTION_MEETING: return; /* see connection_greet() */
	case CONNECTION_NEW:
	case CONNECTION_CLIENT: connection_receive(connection); return;
	case CONNECTION_MONITOR:
		if (!(events & (EPOLLHUP | EPOLLERR))) {
			connection_receive(connection);
			return;
		}
		r = -ECONNRESET; /* it has gone, and needs no answer */
		break;
	case CONNECTION_ASKED:
	case CONNECTION_SENDING:
	case CONNECTION_UNREAD:
		r = events & (EPOLLHUP | EPOLLERR) ? -ECONNRESET
						   : connection_wait(connection, events);
		break;
	case CONNECTION_REFUSED:
		r = events & (EPOLLHUP | EPOLLERR) || !has_unread(connection) ? -ECONNRESET : 0;
		break;
	}
	if (r < 0)
		connection_close(connection);
}

/* The server may have been late itself: a message that is there counts. */
static void connection_late(struct timer *timer)
{
	struct connection *connection = container_of(timer, struct connection, deadline);

	if (!connection_receive(connection) || connection->state != CONNECTION_NEW)
		return;
	connection_dismiss(connection, ETIMEDOUT, "no message within the time for it");
}

static void connection_init(struct connection *connection)
{
	connection->watch = (struct watch){ .fd = -1, .ready = connection_ready };
	connection->deadline = (struct timer){ .expired = connection_late };
	connection->turn = (struct turn){ .user = connection->user, .run = connection_turn };
	connection->probe = (struct probe){ .done = connection_met };
	connection->table = connection->pidfd = -1;
	connection->holder.ended = connection_orphaned;
	connection->wait.done = connection_resume;
	list_init(&connection->wait.member);
	connection->counted = connection->state == CONNECTION_NEW ? LIMIT_NEW : LIMIT_CLIENTS;
	connection->events = EPOLLIN;
}

int connection_restore(struct connection *connection)
{
	struct manager *manager = connection->manager;
	int fd = connection->watch.fd, size = SOCKET_BUFFER, r;

	connection->user = users_get(&manager->users, connection->uid);
	if (!connection->user)
		return -ENOMEM;
	connection_init(connection);
	r = user_take(connection->user, connection->counted);
	if (r < 0)
		return r;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)); /* else as the system has it */
	r = watch_start(&manager->loop, &connection->watch, fd, EPOLLIN);
	if (r < 0) {
		user_give_back(connection->user, connection->counted, 1);
		return r;
	}
	if (connection->state == CONNECTION_NEW)
		timer_set(&manager->loop, &connection->deadline,
			  manager->limits.value[LIMIT_HANDSHAKE] * NS_PER_MS);
	list_append(&manager->connections, &connection->member);
	return 0;
}

/* One that is too many: told why, unless its user leaves too many such answers unread. */
static void connection_reject(struct connection *connection, int fd, int error)
{
	connection->watch.fd = fd;
	if (connection->user && user_room(connection->user, LIMIT_REFUSED) &&
	    watch_start(&connection->manager->loop, &connection->watch, fd, EPOLLOUT | EPOLLET) >=
		    0) {
		refuse(connection, -error, RETRY_LONG_MS,
		       error == -EUSERS ? "too many connections that say nothing"
					: strerror(-error));
		connection->events = EPOLLOUT | EPOLLET;
		connection->counted = LIMIT_REFUSED;
		connection->state = CONNECTION_REFUSED;
		user_count(connection->user, LIMIT_REFUSED, 1);
		list_append(&connection->manager->connections, &connection->member);
		return;
	}
	fd_closer_close(connection->manager->closer, fd);
	connection_free(connection);
}

void connection_accept(struct manager *manager, int fd)
{
	struct connection *connection = calloc(1, sizeof(*connection));
	int r = -ENOMEM;

	if (!connection) {
		fd_closer_close(manager->closer, fd);
		return;
	}
	connection->manager = manager;
	connection->watch.fd = fd;
	r = peer_ask(fd, &connection->pid, &connection->uid);
	if (r == -ESRCH)
		r = 0; /* it may ask; a table would have to belong to a process */
	if (r >= 0)
		r = connection_restore(connection);
	if (r < 0)
		connection_reject(connection, fd, r);
}
