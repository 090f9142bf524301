#include "daemon/legacy_connection.h"

#include "basic/clock.h"
#include "daemon/fd_closer.h"
#include "daemon/legacy_answer.h"
#include "daemon/user_log.h"
#include "daemon/manager.h"
#include "daemon/packet.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* A client that waits for an answer has sent its whole record; so long may pieces of it lie apart.
 */
#define QUIET (20 * NS_PER_MS)

static void connection_ready(struct watch *watch, uint32_t events);
static void connection_quiet(struct timer *timer);
static bool connection_turn(struct turn *turn);
static void connection_met(struct probe *probe, const struct probe_result *result);
static void connection_filtered(struct filter_wait *wait);
static int connection_take(struct legacy_connection *connection,
			   const struct legacy_record *record);
static int connection_digest(struct legacy_connection *connection);

void legacy_connection_close(struct legacy_connection *connection)
{
	struct manager *manager = connection->manager;
	int fd = connection->watch.fd;

	watch_stop(&manager->loop, &connection->watch);
	timer_stop(&manager->loop, &connection->quiet);
	turn_drop(&connection->turn);
	fd_closer_close(manager->closer, fd);
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

static bool has_unread(const struct legacy_connection *connection)
{
	int bytes = 0;

	return ioctl(connection->watch.fd, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

/* The end of it, for its process at once. */
static void connection_leave(struct legacy_connection *connection)
{
	struct loop *loop = &connection->manager->loop;

	if (!has_unread(connection) ||
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

static void process_ended(struct legacy_link *link)
{
	container_of(link, struct legacy_connection, link)->orphan = true;
}

int legacy_connection_restore(struct legacy_connection *connection)
{
	static uint32_t number;
	struct manager *manager = connection->manager;
	int fd = connection->watch.fd, r;

	connection->watch = (struct watch){ .fd = -1, .ready = connection_ready };
	connection->quiet = (struct timer){ .expired = connection_quiet };
	connection->probe = (struct probe){ .done = connection_met };
	connection->filtered = (struct filter_wait){ .done = connection_filtered };
	connection->link.ended = process_ended;
	connection->pidfd = -1;
	connection->user = users_get(&manager->users, connection->uid);
	if (!connection->user)
		return -ENOMEM;
	connection->turn = (struct turn){ .user = connection->user, .run = connection_turn };
	r = user_take(connection->user, LIMIT_CLIENTS);
	if (r < 0)
		return r;
	r = watch_start(&manager->loop, &connection->watch, fd,
			connection->state == LEGACY_WRITING ? EPOLLOUT : EPOLLIN);
	if (r < 0) {
		user_give_back(connection->user, LIMIT_CLIENTS, 1);
		return r;
	}
	if (connection->state == LEGACY_MEASURING)
		timer_set(&manager->loop, &connection->quiet, QUIET);
	if (connection->state == LEGACY_MEETING)
		turn_queue(&manager->turns, &connection->turn); /* begins again */
	if (connection->known)
		connection->filter = device_filter_get(&manager->filters, &connection->peer);
	number = MAX(number, connection->link.number);
	if (!connection->link.number)
		connection->link.number = ++number;
	list_append(&manager->legacy_connections, &connection->member);
	return 0;
}

void legacy_connection_accept(struct manager *manager, int fd)
{
	struct legacy_connection *connection;
	uid_t uid;
	pid_t pid;
	int r;

	r = peer_ask(fd, &pid, &uid);
	if (r < 0) {
		log_user(NULL, LOG_REFUSED,
			 "legacy connection refused: its process cannot be seen");
		fd_closer_close(manager->closer, fd);
		return;
	}
	connection = calloc(1, sizeof(*connection));
	if (!connection) {
		fd_closer_close(manager->closer, fd);
		return;
	}
	connection->manager = manager;
	connection->uid = uid;
	connection->peer = (struct peer){ .pid = pid, .ns_pid = pid, .uid = uid };
	connection->watch.fd = fd;
	r = legacy_connection_restore(connection);
	if (r < 0) {
		log_user(connection->user, LOG_REFUSED,
			 "legacy connection of pid %d, uid %u refused: %s", pid, uid,
			 r == -EUSERS ? "too many connections" : strerror(-r));
		fd_closer_close(manager->closer, fd);
		user_unref(connection->user);
		free(connection);
	}
}

static int refuse(struct legacy_connection *connection, const char *why)
{
	log_user(connection->user, LOG_REFUSED,
		 "legacy connection of %s, pid %d, uid %u closed: %s", connection->peer.name,
		 connection->peer.pid, connection->uid, why);
	return -EBADMSG;
}

/*
 * A process reports for itself: by its number here, by the one in its own namespace, or by 0.
 * A forked child that uses its parent's connection has another one.
 */
static bool claim_is_true(const struct legacy_connection *connection, int32_t pid)
{
	return pid == 0 || pid == connection->peer.pid || pid == connection->peer.ns_pid;
}

/* Its process has ended before it could be probed. */
static void connection_miss(struct legacy_connection *connection)
{
	log_user(connection->user, LOG_IGNORED,
		 "legacy connection of pid %d, uid %u: its process cannot be seen any more; its "
		 "reports are ignored",
		 connection->peer.pid, connection->uid);
	connection->orphan = true;
}

/* The record that waited, and those behind it. */
static void connection_resume(struct legacy_connection *connection)
{
	int r;

	connection->state = LEGACY_READING;
	r = connection_take(connection, &connection->due);
	if (r >= 0)
		r = connection_digest(connection);
	if (r >= 0 && connection->state != LEGACY_MEETING)
		r = watch_change(&connection->manager->loop, &connection->watch,
				 connection->state == LEGACY_WRITING ? EPOLLOUT : EPOLLIN);
	if (r < 0)
		connection_leave(connection);
}

static void connection_filtered(struct filter_wait *wait)
{
	connection_resume(container_of(wait, struct legacy_connection, filtered));
}

/* A process that does not answer is known by its number alone. */
static void connection_met(struct probe *probe, const struct probe_result *result)
{
	struct legacy_connection *connection = container_of(probe, struct legacy_connection, probe);
	uid_t uid = connection->peer.uid;

	connection->known = true;
	if (result->error == -ESRCH)
		connection_miss(connection);
	else if (result->error >= 0)
		connection->peer = result->peer;
	connection->peer.uid = uid; /* as it was when it connected */
	if (!connection->orphan)
		connection->filter =
			device_filter_get(&connection->manager->filters, &connection->peer);
	if (!device_filter_wait(connection->filter, &connection->filtered))
		connection_resume(connection);
}

/* Has its process probed, and keeps the record until then. */
static int connection_meet(struct legacy_connection *connection, const struct legacy_record *record)
{
	int r = peer_pidfd(connection->watch.fd, connection->peer.pid, &connection->pidfd);

	if (r >= 0)
		r = probe_start(&connection->probe, connection->manager->probes, PROBE_PEER,
				connection->peer.pid, connection->uid, connection->pidfd);
	if (r == -ESRCH) {
		connection->known = true;
		connection_miss(connection);
		return 0;
	}
	if (r < 0)
		return refuse(connection, strerror(-r));
	if (&connection->due != record)
		connection->due = *record;
	connection->state = LEGACY_MEETING;
	return watch_change(&connection->manager->loop, &connection->watch, EPOLLET);
}

/* The account of its process, from the first report on. */
static int connection_open_account(struct legacy_connection *connection)
{
	struct legacy_process *process;
	bool taken;
	int r;

	if (connection->orphan || connection->link.process)
		return 0;
	if (connection->pidfd < 0) {
		r = peer_pidfd(connection->watch.fd, connection->peer.pid, &connection->pidfd);
		if (r == -ESRCH)
			connection_miss(connection);
		if (r < 0)
			return r == -ESRCH ? 0 : refuse(connection, strerror(-r));
	}
	r = legacy_process_get(&connection->manager->legacy_processes, &connection->peer,
			       connection->pidfd, &process, &taken);
	if (r < 0)
		return refuse(connection, strerror(-r));
	legacy_process_join(process, &connection->link);
	if (!taken)
		close(connection->pidfd);
	connection->pidfd = -1;
	return 0;
}

/* Said once, since a program that sends one such record sends many. */
static void connection_ignore(struct legacy_connection *connection,
			      const struct legacy_record *record, const char *fault)
{
	if (connection->link.process)
		legacy_process_ignore(connection->link.process, record);
	if (connection->told)
		return;
	connection->told = true;
	log_user(connection->user, LOG_IGNORED,
		 "legacy connection of %s, pid %d, uid %u: record ignored: %s (type %d, device "
		 "%d, size %" PRIu64 ", buffer type %u, pid %d); others will be counted only",
		 connection->peer.name, connection->peer.pid, connection->uid, fault,
		 (int)record->type, record->device, record->size, record->buffer_type, record->pid);
}

static int connection_report(struct legacy_connection *connection,
			     const struct legacy_record *record)
{
	const char *fault = legacy_report_fault(record);
	int r = connection_open_account(connection);

	if (r < 0)
		return r;
	if (!fault && !claim_is_true(connection, record->pid))
		fault = "claims to be another process";
	if (fault)
		connection_ignore(connection, record, fault);
	else if (connection->link.process)
		legacy_process_report(connection->link.process, record, connection->link.number);
	return 0;
}

/* The protocol has no answer to this, and the log is no place for it. */
static void connection_dump(struct legacy_connection *connection, bool kernels)
{
	log_user(connection->user, LOG_DUMPS,
		 "dump of %s asked for by %s, pid %d, uid %u: shown by tt_smi mem --dump",
		 kernels ? "kernels" : "what is held", connection->peer.name, connection->peer.pid,
		 connection->uid);
}

/* Sends what is left of the answer. 1 when all of it is gone, 0 if the peer does not read. */
static int connection_write(struct legacy_connection *connection)
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

static int connection_answer(struct legacy_connection *connection, size_t size)
{
	int r;

	timer_stop(&connection->manager->loop, &connection->quiet);
	legacy_answer(connection->manager, connection->filter, &connection->due, size,
		      connection->out);
	connection->out_at = 0;
	connection->out_length = (uint16_t)size;
	r = connection_write(connection);
	if (r < 0)
		return r;
	if (r > 0) {
		connection->state = LEGACY_READING;
		return 0;
	}
	connection->state = LEGACY_WRITING;
	return watch_change(&connection->manager->loop, &connection->watch, EPOLLOUT);
}

/* Questions and dumps are about all processes: which one they claim to come from is no matter. */
static int connection_take(struct legacy_connection *connection, const struct legacy_record *record)
{
	bool question = record->type == LEGACY_QUERY || record->type == LEGACY_DEVICE_INFO_QUERY;
	bool dump = record->type == LEGACY_DUMP_REMAINING || record->type == LEGACY_DUMP_KERNELS;
	int r;

	if (!connection->known && !connection->orphan) {
		r = connection_meet(connection, record);
		if (r < 0 || connection->state == LEGACY_MEETING)
			return r;
	}
	if (!question && !dump)
		return connection_report(connection, record);
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
 * Looks at what was received, up to a query that cannot be answered yet. While
 * the size is being found out, bytes still go to the stream, which stops at the
 * next record: by then the size is known.
 */
static int connection_digest(struct legacy_connection *connection)
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
			return refuse(connection, "its bytes are no records");
		if (measuring && connection->stream.size)
			r = connection_answer(connection, connection->stream.size);
		else if (r > 0)
			r = connection_take(connection, &record);
		if (r < 0)
			return r;
	}
	if (connection->state == LEGACY_MEASURING)
		timer_set(&connection->manager->loop, &connection->quiet, QUIET);
	return 0;
}

static void connection_quiet(struct timer *timer)
{
	struct legacy_connection *connection = container_of(timer, struct legacy_connection, quiet);
	int size = legacy_answer_size(&connection->stream);

	if (size < 0)
		return; /* more of the record is on the way */
	if (connection_answer(connection, (size_t)size) < 0 || connection_digest(connection) < 0)
		connection_leave(connection);
}

static int connection_read(struct legacy_connection *connection)
{
	struct message_fds fds;
	int flags;
	ssize_t n;

	if (!fd_closer_accepts(connection->user))
		return refuse(connection, "descriptors that this user sent cannot be closed");
	n = packet_read(connection->watch.fd, connection->in, sizeof(connection->in), &flags, &fds);
	if (n == -EAGAIN)
		return 0;
	if (fds.count)
		fd_closer_discard(connection->manager->closer, connection->user, &fds);
	if (n < 0) {
		if (!legacy_stream_is_whole(&connection->stream))
			log_user(connection->user, LOG_PROGRAMS,
				 "legacy connection of pid %d ended within a record",
				 connection->peer.pid);
		return -ECONNRESET;
	}
	connection->in_at = 0;
	connection->in_length = (uint16_t)n;
	return connection_digest(connection);
}

static void connection_ready(struct watch *watch, uint32_t events)
{
	struct legacy_connection *connection = container_of(watch, struct legacy_connection, watch);
	int r = 0;

	if (connection->state == LEGACY_LEAVING) {
		if (events & (EPOLLHUP | EPOLLERR) || !has_unread(connection))
			legacy_connection_close(connection);
		return;
	}
	if (connection->state == LEGACY_WRITING) {
		r = events & EPOLLERR ? -EPIPE : connection_write(connection);
		if (r > 0) {
			connection->state = LEGACY_READING;
			r = watch_change(&connection->manager->loop, watch, EPOLLIN);
			if (r >= 0)
				r = connection_digest(connection);
		}
	} else if (connection->state != LEGACY_MEETING) {
		turn_queue(&connection->manager->turns, &connection->turn);
	}
	if (r < 0)
		connection_leave(connection);
}

static bool connection_turn(struct turn *turn)
{
	struct legacy_connection *connection = container_of(turn, struct legacy_connection, turn);

	if (connection->state == LEGACY_MEETING)
		connection_resume(connection);
	else if (connection->state <= LEGACY_MEASURING && connection_read(connection) < 0)
		connection_leave(connection);
	return true;
}
