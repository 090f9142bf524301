#include "daemon/legacy_accept.h"

#include "basic/clock.h"
#include "daemon/fd_closer.h"
#include "daemon/legacy_answer.h"
#include "daemon/legacy_connection.h"
#include "daemon/legacy_identify.h"
#include "daemon/legacy_report.h"
#include "daemon/user_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A client that waits for an answer has sent its whole record: maximum gap between its pieces. */
#define QUIET (20 * NS_PER_MS)

/* The protocol has no answer to a dump, so the log names the command that shows it. */
static void connection_dump(struct legacy_connection *connection, bool kernels)
{
	log_user(connection->user, LOG_DUMPS,
		 "dump of %s requested by %s, pid %d, uid %u: shown by tt_smi mem --dump",
		 kernels ? "kernels" : "allocations", connection->peer.name, connection->peer.pid,
		 connection->uid);
}

static int connection_answer(struct legacy_connection *connection, size_t size)
{
	int r;

	timer_stop(connection->all->loop, &connection->quiet);
	legacy_answer(connection->all->answers, connection->filter, &connection->due, size,
		      connection->out);
	connection->out_at = 0;
	connection->out_length = (uint16_t)size;
	r = legacy_connection_write(connection);
	if (r < 0)
		return r;
	if (r > 0) {
		connection->state = LEGACY_READING;
		return 0;
	}
	connection->state = LEGACY_WRITING;
	return watch_change(connection->all->loop, &connection->watch, EPOLLOUT);
}

/* Queries and dumps concern all processes, so the pid in the record does not matter. */
static int connection_take(struct legacy_connection *connection, const struct legacy_record *record)
{
	bool query = record->type == LEGACY_QUERY || record->type == LEGACY_DEVICE_INFO_QUERY;
	bool dump = record->type == LEGACY_DUMP_REMAINING || record->type == LEGACY_DUMP_KERNELS;
	int r;

	if (!connection->known && !connection->orphan) {
		r = legacy_identify(connection, record);
		if (r < 0 || connection->state == LEGACY_PROBING)
			return r;
	}
	if (!query && !dump)
		return legacy_report(connection, record);
	if (dump) {
		connection_dump(connection, record->type == LEGACY_DUMP_KERNELS);
		return 0;
	}
	connection->due = *record;
	if (connection->stream.size)
		return connection_answer(connection, connection->stream.size);
	connection->state = LEGACY_MEASURING;
	return 0;
}

/*
 * Parses the received data up to a query that cannot be answered yet. While the record size is
 * being determined, further bytes still go to the stream, which stops at the next record; by then
 * the size is known.
 */
static int connection_parse(struct legacy_connection *connection)
{
	while (connection->state <= LEGACY_MEASURING && connection->in_at < connection->in_length) {
		struct legacy_record record;
		bool measuring = connection->state == LEGACY_MEASURING;
		size_t used;
		int r = legacy_feed(&connection->stream, connection->in + connection->in_at,
				    measuring ? 1
					      : (size_t)(connection->in_length - connection->in_at),
				    &used, &record);

		connection->in_at += (uint16_t)used;
		if (r < 0)
			return legacy_refuse(connection,
					     "its bytes are not records of the legacy protocol");
		if (measuring && connection->stream.size)
			r = connection_answer(connection, connection->stream.size);
		else if (r > 0)
			r = connection_take(connection, &record);
		if (r < 0)
			return r;
	}
	if (connection->state == LEGACY_MEASURING)
		timer_set(connection->all->loop, &connection->quiet, QUIET);
	return 0;
}

static void connection_quiet(struct timer *timer)
{
	struct legacy_connection *connection = container_of(timer, struct legacy_connection, quiet);
	int size = legacy_answer_size(&connection->stream);

	if (size < 0)
		return; /* more of the record is to come */
	if (connection_answer(connection, (size_t)size) < 0 || connection_parse(connection) < 0)
		legacy_connection_leave(connection);
}

/* Handles the delayed record and those after it. */
static void connection_resume(struct legacy_connection *connection)
{
	int r;

	connection->state = LEGACY_READING;
	r = connection_take(connection, &connection->due);
	if (r >= 0)
		r = connection_parse(connection);
	if (r >= 0 && connection->state != LEGACY_PROBING)
		r = watch_change(connection->all->loop, &connection->watch,
				 connection->state == LEGACY_WRITING ? EPOLLOUT : EPOLLIN);
	if (r < 0)
		legacy_connection_leave(connection);
}

static int connection_read(struct legacy_connection *connection)
{
	struct message_fds fds;
	int flags;
	ssize_t n;

	if (!fd_closer_accepts(connection->user))
		return legacy_refuse(connection,
				     "descriptors that this user sent cannot be closed");
	n = wire_read(connection->watch.fd, connection->in, sizeof(connection->in), &flags, &fds);
	if (n == -EAGAIN)
		return 0;
	if (fds.count)
		fd_closer_discard(connection->all->closer, connection->user, &fds);
	if (n < 0) {
		if (!legacy_stream_is_whole(&connection->stream))
			log_user(connection->user, LOG_PROGRAMS,
				 "legacy connection of pid %d ended within a record",
				 connection->peer.pid);
		return -ECONNRESET;
	}
	connection->in_at = 0;
	connection->in_length = (uint16_t)n;
	return connection_parse(connection);
}

static void connection_ready(struct watch *watch, uint32_t events)
{
	struct legacy_connection *connection = container_of(watch, struct legacy_connection, watch);
	int r = 0;

	if (connection->state == LEGACY_LEAVING) {
		if (events & (EPOLLHUP | EPOLLERR) || !legacy_connection_has_unread(connection))
			legacy_connection_close(connection);
		return;
	}
	if (connection->state == LEGACY_WRITING) {
		r = events & EPOLLERR ? -EPIPE : legacy_connection_write(connection);
		if (r > 0) {
			connection->state = LEGACY_READING;
			r = watch_change(connection->all->loop, watch, EPOLLIN);
			if (r >= 0)
				r = connection_parse(connection);
		}
	} else if (connection->state != LEGACY_PROBING) {
		turn_queue(connection->all->turns, &connection->turn);
	}
	if (r < 0)
		legacy_connection_leave(connection);
}

static bool connection_turn(struct turn *turn)
{
	struct legacy_connection *connection = container_of(turn, struct legacy_connection, turn);

	if (connection->state == LEGACY_PROBING)
		connection_resume(connection);
	else if (connection->state <= LEGACY_MEASURING && connection_read(connection) < 0)
		legacy_connection_leave(connection);
	return true;
}

static void process_ended(struct legacy_link *link)
{
	container_of(link, struct legacy_connection, link)->orphan = true;
}

int legacy_connection_restore(struct legacy_connection *connection)
{
	static uint32_t number;
	struct legacy_connections *all = connection->all;
	int fd = connection->watch.fd, r;

	connection->watch = (struct watch){ .fd = -1, .ready = connection_ready };
	connection->quiet = (struct timer){ .expired = connection_quiet };
	connection->identified = connection_resume;
	connection->link.ended = process_ended;
	connection->pidfd = -1;
	connection->user = users_get(all->users, connection->uid);
	if (!connection->user)
		return -ENOMEM;
	connection->turn = (struct turn){ .user = connection->user, .run = connection_turn };
	r = user_take(connection->user, LIMIT_CLIENTS);
	if (r < 0)
		return r;
	r = watch_start(all->loop, &connection->watch, fd,
			connection->state == LEGACY_WRITING ? EPOLLOUT : EPOLLIN);
	if (r < 0) {
		user_give_back(connection->user, LIMIT_CLIENTS, 1);
		return r;
	}
	if (connection->state == LEGACY_MEASURING)
		timer_set(all->loop, &connection->quiet, QUIET);
	if (connection->state == LEGACY_PROBING)
		turn_queue(all->turns, &connection->turn); /* restarts it */
	if (connection->known)
		connection->filter = device_filter_get(all->filters, &connection->peer);
	number = MAX(number, connection->link.number);
	if (!connection->link.number)
		connection->link.number = ++number;
	list_append(&all->list, &connection->member);
	return 0;
}

void legacy_connection_accept(struct legacy_connections *connections, int fd)
{
	struct legacy_connection *connection;
	uid_t uid;
	pid_t pid;
	int r;

	r = peer_ask(fd, &pid, &uid);
	if (r < 0) {
		log_user(NULL, LOG_REFUSED,
			 "legacy connection refused: its process is not visible to the server");
		fd_closer_close(connections->closer, fd);
		return;
	}
	connection = calloc(1, sizeof(*connection));
	if (!connection) {
		fd_closer_close(connections->closer, fd);
		return;
	}
	connection->all = connections;
	connection->uid = uid;
	connection->peer = (struct peer){ .pid = pid, .ns_pid = pid, .uid = uid };
	connection->watch.fd = fd;
	r = legacy_connection_restore(connection);
	if (r < 0) {
		log_user(connection->user, LOG_REFUSED,
			 "legacy connection of pid %d, uid %u refused: %s", pid, uid,
			 r == -EUSERS ? "too many connections" : strerror(-r));
		fd_closer_close(connections->closer, fd);
		user_unref(connection->user);
		free(connection);
	}
}
