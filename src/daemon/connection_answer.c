#include "daemon/connection_answer.h"

#include "daemon/answer.h"
#include "daemon/connection.h"
#include "daemon/packet.h"
#include "daemon/reply.h"
#include "daemon/user_log.h"
#include "proto/wire_socket.h"
#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Packets sent in one turn. */
enum { PACKETS_PER_TURN = 8 };

static bool asks_for_stream(const struct wire_message *message)
{
	return message->type == WIRE_DUMP ? message->dump.flags & WIRE_DUMP_STREAM
					  : message->snapshot.flags & WIRE_WANT_STREAM;
}

/* Keeps the request until the user's turn. */
int connection_ask(struct connection *connection, const struct wire_message *message)
{
	int r = connection_promote(connection);

	if (r < 0)
		return r;
	if (!asks_for_stream(message)) {
		connection_refuse(connection, EPROTONOSUPPORT, 0,
				  "this program is too old for tt_allocd " TT_SMI_VERSION
				  ": install both of one version");
		connection->state = CONNECTION_UNREAD;
		return 0;
	}
	connection->request = *message;
	connection->state = CONNECTION_ASKED;
	connection->waited = false;
	turn_queue(connection->all->turns, &connection->turn);
	return 0;
}

/* Reads requests again once the peer has read its answer. */
static int connection_settle(struct connection *connection)
{
	if (connection_has_unread(connection))
		return connection_listen(connection, EPOLLOUT | EPOLLET);
	user_give_back(connection->user, LIMIT_PENDING, connection->buffered);
	connection->buffered = 0;
	connection->state = CONNECTION_MONITOR;
	return connection_listen(connection, EPOLLIN);
}

/* Reports why there is no answer. The connection stays open. */
static void connection_report_error(struct connection *connection, int error)
{
	char why[WIRE_TEXT];

	connection->state = CONNECTION_UNREAD;
	if (error == -ESRCH) {
		packet_refuse(connection->watch.fd, ESRCH, 0, "no such process is known");
		return;
	}
	if (error != -EAGAIN) {
		connection_refuse(connection, -error, RETRY_LONG_MS, strerror(-error));
		return;
	}
	snprintf(why, sizeof(why), "answers that this user's programs do not read take %u KiB",
		 connection->user->used[LIMIT_PENDING]);
	connection_refuse(connection, EAGAIN, RETRY_MS, why);
}

/* Finds or makes the answer. */
static int connection_answer(struct connection *connection)
{
	const struct requester requester = { connection->pid, connection->uid, connection->user };
	struct reply *reply;
	int r;

	if (connection->request.type == WIRE_DUMP) {
		log_user(connection->user, LOG_DUMPS, "dump for pid %d, uid %u", connection->pid,
			 connection->uid);
		r = answer_dump(connection->all->answers, &requester,
				connection->request.dump.flags & WIRE_DUMP_KERNELS, &reply);
	} else {
		const struct snapshot_request request = {
			.flags = connection->request.snapshot.flags & ~(uint32_t)WIRE_WANT_STREAM,
			.pid = connection->request.snapshot.pid,
			.since_ns = connection->turn.since_ns,
		};

		r = answer_snapshot(connection->all->answers, &requester, &request, &reply);
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

/* Sends as much as one turn allows. -EAGAIN: the socket buffer is full. */
static int connection_send(struct connection *connection)
{
	struct reply *reply = connection->reply;

	for (int i = 0; i < PACKETS_PER_TURN && connection->sent < reply->length; i++) {
		int n = wire_send_data(connection->watch.fd, reply->data + connection->sent,
				       reply->length - connection->sent);

		if (n < 0)
			return n;
		connection->sent += (size_t)n;
		user_charge(connection->user, n); /* 1 ns per byte, in addition to the time */
	}
	if (connection->sent < reply->length) {
		turn_queue(connection->all->turns, &connection->turn);
		return 0;
	}
	connection_drop_reply(connection);
	connection->state = CONNECTION_UNREAD;
	return 0;
}

/* Is the user within its CPU share? If not, sends a refusal with the time to wait. */
static bool connection_may_ask(struct connection *connection)
{
	uint32_t wait_ms = user_wait_ms(connection->user);
	const struct limits *limits = connection->all->limits;
	char why[WIRE_TEXT];

	if (!wait_ms)
		return true;
	connection->state = CONNECTION_UNREAD;
	snprintf(why, sizeof(why), "this user's share of the server, %u ms a second, is used up",
		 limits->share[LIMIT_CPU]);
	connection_refuse(connection, EAGAIN, wait_ms, why);
	return false;
}

static int connection_serve(struct connection *connection)
{
	int r;

	if (connection->state == CONNECTION_ASKED) {
		r = connection_answer(connection);
		if (r < 0) {
			connection_report_error(connection, r);
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

	turn_queue(connection->all->turns, &connection->turn);
}

/* Must the answer wait for the observer? */
static bool connection_waits(struct connection *connection)
{
	if (connection->waited || cards_are_fresh(connection->all->cards))
		return false;
	connection->waited = true;
	cards_wait_start(connection->all->cards, &connection->wait);
	return true;
}

/* A request that has to wait is not charged, since that would extend the announced wait. */
static bool connection_turn(struct turn *turn)
{
	struct connection *connection = container_of(turn, struct connection, turn);
	bool asked = connection->state == CONNECTION_ASKED, charged;
	int r;

	if (asked && connection_waits(connection))
		return false;
	charged = !asked || connection_may_ask(connection);
	r = charged ? connection_serve(connection) : 0;

	if (r >= 0 && connection->state == CONNECTION_UNREAD)
		r = connection_settle(connection);
	if (r < 0)
		connection_close(connection);
	return charged;
}

/* Handles events while a request is being answered. */
int connection_answer_ready(struct connection *connection, uint32_t events)
{
	if (connection->state == CONNECTION_SENDING && events & EPOLLOUT) {
		turn_queue(connection->all->turns, &connection->turn);
		return connection_listen(connection, 0);
	}
	if (connection->state == CONNECTION_UNREAD)
		return connection_settle(connection);
	return connection_listen(connection, 0); /* the next request stays in the socket */
}

void connection_answer_init(struct connection *connection)
{
	connection->turn = (struct turn){ .user = connection->user, .run = connection_turn };
	connection->wait.done = connection_resume;
	list_init(&connection->wait.member);
}
