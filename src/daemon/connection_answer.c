#include "daemon/connection_answer.h"

#include "daemon/answer.h"
#include "daemon/connection.h"
#include "daemon/manager.h"
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

/* A question is kept until it is the user's turn. */
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
	connection->asked = *message;
	connection->state = CONNECTION_ASKED;
	connection->waited = false;
	turn_queue(&connection->manager->turns, &connection->turn);
	return 0;
}

/* Once the peer has read its answer, it is listened to again. */
static int connection_settle(struct connection *connection)
{
	if (connection_has_unread(connection))
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

/* May it ask? If not, the refusal says when it may. */
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
	connection_refuse(connection, EAGAIN, wait_ms, why);
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

/* A question that has to wait costs nothing, or the wait would be longer than announced. */
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
int connection_answer_ready(struct connection *connection, uint32_t events)
{
	if (connection->state == CONNECTION_SENDING && events & EPOLLOUT) {
		turn_queue(&connection->manager->turns, &connection->turn);
		return connection_listen(connection, 0);
	}
	if (connection->state == CONNECTION_UNREAD)
		return connection_settle(connection);
	return connection_listen(connection, 0); /* the next question can wait */
}

void connection_answer_init(struct connection *connection)
{
	connection->turn = (struct turn){ .user = connection->user, .run = connection_turn };
	connection->wait.done = connection_resume;
	list_init(&connection->wait.member);
}
