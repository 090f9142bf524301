#include "daemon/legacy_report.h"

#include "daemon/legacy_connection.h"
#include "daemon/user_log.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/*
 * A process reports for itself: with its pid here, its pid in its own namespace, or 0. A forked
 * child that uses its parent's connection has another one.
 */
static bool pid_is_own(const struct legacy_connection *connection, int32_t pid)
{
	return pid == 0 || pid == connection->peer.pid || pid == connection->peer.ns_pid;
}

/* Creates the legacy process on the first report. */
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
			legacy_orphan(connection);
		if (r < 0)
			return r == -ESRCH ? 0 : legacy_refuse(connection, strerror(-r));
	}
	r = legacy_process_get(connection->all->processes, &connection->peer, connection->pidfd,
			       &process, &taken);
	if (r < 0)
		return legacy_refuse(connection, strerror(-r));
	legacy_process_join(process, &connection->link);
	if (!taken)
		close(connection->pidfd);
	connection->pidfd = -1;
	return 0;
}

/* Logged once, since a program that sends one such record sends many. */
static void connection_ignore(struct legacy_connection *connection,
			      const struct legacy_record *record, const char *fault)
{
	if (connection->link.process)
		legacy_process_ignore(connection->link.process, record);
	if (connection->logged)
		return;
	connection->logged = true;
	log_user(connection->user, LOG_IGNORED,
		 "legacy connection of %s, pid %d, uid %u: record ignored: %s (type %d, device "
		 "%d, size %" PRIu64 ", buffer type %u, pid %d); further ones are only counted",
		 connection->peer.name, connection->peer.pid, connection->uid, fault,
		 (int)record->type, record->device, record->size, record->buffer_type, record->pid);
}

int legacy_report(struct legacy_connection *connection, const struct legacy_record *record)
{
	const char *fault = legacy_report_fault(record);
	int r = connection_open_account(connection);

	if (r < 0)
		return r;
	if (!fault && !pid_is_own(connection, record->pid))
		fault = "claims to be another process";
	if (fault)
		connection_ignore(connection, record, fault);
	else if (connection->link.process)
		legacy_process_report(connection->link.process, record, connection->link.number);
	return 0;
}
