#include "serve/connections.h"

#include "basic/clock.h"

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
	entry->fd =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	entry->client = address_key_of(
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
			->client_addr);
	entry->deadline_ns = clock_now(CLOCK_MONOTONIC) + head_ns;
	entry->auth = AUTH_UNKNOWN;
	*context = entry;
}

static void set_deadline(struct MHD_Connection *connection, int64_t limit_ns)
{
	struct http_connection *entry = connection_entry(connection);

	if (entry)
		entry->deadline_ns = clock_now(CLOCK_MONOTONIC) + limit_ns;
}

void *connection_begin_request(void *arg, const char *uri, struct MHD_Connection *connection)
{
	struct http_connection *entry = connection_entry(connection);

	(void)arg;
	(void)uri;
	set_deadline(connection, head_ns);
	if (entry)
		entry->auth = AUTH_UNKNOWN;
	return NULL;
}

void connection_begin_answer(struct MHD_Connection *connection)
{
	set_deadline(connection, answer_ns);
}

void connection_end_request(void *arg, struct MHD_Connection *connection, void **context,
			    enum MHD_RequestTerminationCode code)
{
	(void)arg;
	(void)context;
	(void)code;
	set_deadline(connection, idle_ns);
}

void connections_end_late(struct connection_table *table)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
		struct http_connection *entry = &table->list[i];

		if (entry->fd < 0 || now < entry->deadline_ns)
			continue;
		shutdown(entry->fd, SHUT_RDWR);
		entry->deadline_ns = INT64_MAX;
	}
}
