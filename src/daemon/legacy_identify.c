#include "daemon/legacy_identify.h"

#include "daemon/legacy_connection.h"

#include <errno.h>
#include <string.h>

static void connection_filtered(struct filter_wait *wait)
{
	struct legacy_connection *connection =
		container_of(wait, struct legacy_connection, filtered);

	connection->identified(connection);
}

/* If the process could not be read, only its pid is known. */
static void connection_probed(struct probe *probe, const struct probe_result *result)
{
	struct legacy_connection *connection = container_of(probe, struct legacy_connection, probe);
	uid_t uid = connection->peer.uid;

	connection->known = true;
	if (result->error == -ESRCH)
		legacy_orphan(connection);
	else if (result->error >= 0)
		connection->peer = result->peer;
	connection->peer.uid = uid; /* keep the uid at the time of connect() */
	if (!connection->orphan)
		connection->filter = device_filter_get(connection->all->filters, &connection->peer);
	if (!device_filter_wait(connection->filter, &connection->filtered))
		connection->identified(connection);
}

int legacy_identify(struct legacy_connection *connection, const struct legacy_record *record)
{
	int r = peer_pidfd(connection->watch.fd, connection->peer.pid, &connection->pidfd);

	connection->probe.done = connection_probed;
	connection->filtered.done = connection_filtered;
	if (r >= 0)
		r = probe_start(&connection->probe, connection->all->probes, PROBE_PEER,
				connection->peer.pid, connection->uid, connection->pidfd);
	if (r == -ESRCH) {
		connection->known = true;
		legacy_orphan(connection);
		return 0;
	}
	if (r < 0)
		return legacy_refuse(connection, strerror(-r));
	if (&connection->due != record)
		connection->due = *record;
	connection->state = LEGACY_PROBING;
	return watch_change(connection->all->loop, &connection->watch, EPOLLET);
}
