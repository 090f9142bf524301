#include "serve/connections.h"

#include "basic/clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/*
 * The request line and headers, with the TLS handshake before them; the answer; and the pause
 * between two requests of one connection: Prometheus asks once a minute or more often.
 */
static const int64_t head_ns = 10 * NS_PER_S, answer_ns = 30 * NS_PER_S, idle_ns = 180 * NS_PER_S;

void connections_init(struct connection_table *table)
{
	for (size_t i = 0; i < MAX_CONNECTIONS; i++)
		table->list[i].fd = -1;
}

struct http_connection *connection_entry(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* ---- how many there are ---- */

static bool counts(const struct http_connection *entry, bool streams)
{
	return entry->fd >= 0 && !entry->ending && entry->is_stream == streams;
}

static int compare_clients(const struct address_key *a, const struct address_key *b)
{
	return memcmp(a, b, sizeof(*a));
}

unsigned connections_count(const struct connection_table *table, bool streams,
			   const struct address_key *client)
{
	unsigned count = 0;

	for (size_t i = 0; i < MAX_CONNECTIONS; i++)
		count += counts(&table->list[i], streams) &&
			 (!client || compare_clients(&table->list[i].client, client) == 0);
	return count;
}

/* By address, then by age. */
static int compare_entries(const void *a, const void *b)
{
	const struct http_connection *one = *(struct http_connection *const *)a;
	const struct http_connection *other = *(struct http_connection *const *)b;
	int r = compare_clients(&one->client, &other->client);

	return r ? r : (one->begun_ns > other->begun_ns) - (one->begun_ns < other->begun_ns);
}

struct http_connection *connections_choose(struct connection_table *table, bool streams)
{
	struct http_connection *sorted[MAX_CONNECTIONS], *chosen = NULL;
	size_t count = 0, most = 0;

	for (size_t i = 0; i < MAX_CONNECTIONS; i++)
		if (counts(&table->list[i], streams))
			sorted[count++] = &table->list[i];
	qsort(sorted, count, sizeof(struct http_connection *), compare_entries);
	for (size_t first = 0, next; first < count; first = next) {
		next = first + 1;
		while (next < count &&
		       compare_clients(&sorted[next]->client, &sorted[first]->client) == 0)
			next++;
		if (next - first < most ||
		    (next - first == most && sorted[first]->begun_ns >= chosen->begun_ns))
			continue;
		chosen = sorted[first];
		most = next - first;
	}
	return chosen;
}

/* The library then sees its end, and closes it. */
static void end(struct http_connection *entry)
{
	shutdown(entry->fd, SHUT_RDWR);
	entry->ending = true;
}

/* The new one counts, too. */
static void limit_connections(struct connection_table *table)
{
	unsigned count =
		connections_count(table, false, NULL) + connections_count(table, true, NULL);

	if (count > MAX_CONNECTIONS - SPARE_CONNECTIONS)
		end(connections_choose(table, false));
}

bool connection_begin_stream(struct connection_table *table, struct http_connection *entry)
{
	unsigned own = connections_count(table, true, &entry->client);

	if (connections_count(table, true, NULL) >= MAX_STREAMS) {
		struct http_connection *chosen = connections_choose(table, true);

		/* Otherwise two addresses would end each other's streams in turn. */
		if (connections_count(table, true, &chosen->client) <= own + 1)
			return false;
		end(chosen);
	}
	entry->is_stream = true;
	return true;
}

/* ---- phases ---- */

static void set_deadline(struct http_connection *entry, int64_t limit_ns)
{
	entry->begun_ns = clock_now(CLOCK_MONOTONIC);
	entry->deadline_ns = entry->begun_ns + limit_ns;
}

void connection_notify(void *arg, struct MHD_Connection *connection, void **context,
		       enum MHD_ConnectionNotificationCode code)
{
	struct connection_table *table = arg;
	struct http_connection *entry = *context;
	size_t i = 0;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (entry)
			entry->fd = -1;
		return;
	}
	while (i < MAX_CONNECTIONS && table->list[i].fd >= 0)
		i++;
	if (i == MAX_CONNECTIONS)
		return; /* not reached: the library accepts no more either */
	entry = &table->list[i];
	*entry = (struct http_connection){ .auth = AUTH_UNKNOWN };
	entry->fd =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	entry->client = address_key_of(
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
			->client_addr);
	set_deadline(entry, head_ns);
	*context = entry;
	limit_connections(table);
}

void *connection_begin_request(void *arg, const char *uri, struct MHD_Connection *connection)
{
	struct http_connection *entry = connection_entry(connection);

	(void)arg;
	(void)uri;
	if (!entry)
		return NULL;
	set_deadline(entry, head_ns);
	entry->auth = AUTH_UNKNOWN;
	return NULL;
}

void connection_begin_answer(struct MHD_Connection *connection)
{
	struct http_connection *entry = connection_entry(connection);

	if (entry)
		set_deadline(entry, answer_ns);
}

void connection_end_request(void *arg, struct MHD_Connection *connection, void **context,
			    enum MHD_RequestTerminationCode code)
{
	struct http_connection *entry = connection_entry(connection);

	(void)arg;
	(void)context;
	(void)code;
	if (!entry)
		return;
	set_deadline(entry, idle_ns);
	entry->is_stream = false;
}

void connections_end_late(struct connection_table *table)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
		struct http_connection *entry = &table->list[i];

		if (entry->fd >= 0 && !entry->ending && now >= entry->deadline_ns)
			end(entry);
	}
}
