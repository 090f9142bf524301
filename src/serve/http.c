#include "serve/http.h"

#include "serve/auth.h"
#include "serve/connections.h"
#include "serve/response.h"
#include "serve/routes.h"
#include "serve/tls.h"

#include <errno.h>
#include <microhttpd.h>
#include <string.h>
#include <strings.h>

enum {
	MAX_CONNECTIONS_PER_ADDRESS = 64,
	REQUEST_BYTES = 16 << 10, /* of one connection: request line and headers */
	TICK_MS = 1000,
};

struct http_server {
	struct MHD_Daemon *daemon;
	const struct serve_options *options;
	struct auth *auth; /* NULL: no passwords */
	struct served_state state;
};

static bool has_body(struct MHD_Connection *connection)
{
	const char *length = request_header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return request_header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) ||
	       (length && strcmp(length, "0") != 0);
}

static enum MHD_Result count_host(void *count, enum MHD_ValueKind kind, const char *name,
				  const char *value)
{
	(void)kind;
	(void)value;
	*(unsigned *)count += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
	return MHD_YES;
}

/* A proxy and this server may choose different ones of several. */
static bool has_several_hosts(struct MHD_Connection *connection)
{
	unsigned count = 0;

	MHD_get_connection_values(connection, MHD_HEADER_KIND, count_host, &count);
	return count > 1;
}

/* Why a request is refused, whatever it asks for; NULL: it is not. */
static const char *find_fault(const struct http_server *server, struct MHD_Connection *connection,
			      const char *method, unsigned *ret_status)
{
	if (has_several_hosts(connection)) {
		*ret_status = MHD_HTTP_BAD_REQUEST;
		return "a request must have one Host header";
	}
	if (!host_is_accepted(request_header(connection, MHD_HTTP_HEADER_HOST),
			      &server->options->hosts)) {
		*ret_status = MHD_HTTP_MISDIRECTED_REQUEST;
		return "this server is not known by that name; start it with --host NAME";
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
		*ret_status = MHD_HTTP_METHOD_NOT_ALLOWED;
		return "only GET and HEAD are served";
	}
	if (has_body(connection)) {
		*ret_status = MHD_HTTP_CONTENT_TOO_LARGE;
		return "a request must not have a body";
	}
	return NULL;
}

/* When the headers are complete. */
static enum MHD_Result begin(const struct http_server *server, struct MHD_Connection *connection,
			     const char *method)
{
	static const struct response_header allow = { MHD_HTTP_HEADER_ALLOW, "GET, HEAD" };
	unsigned status;
	const char *fault = find_fault(server, connection, method, &status);

	connection_begin_answer(connection);
	if (!fault)
		return MHD_YES;
	return answer_text_with(connection, status, fault,
				status == MHD_HTTP_METHOD_NOT_ALLOWED ? &allow : NULL);
}

/* Called when the headers are complete, again when the whole request is, and when it is resumed. */
static enum MHD_Result handle(void *arg, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **context)
{
	struct http_server *server = arg;
	const struct http_request request = { &server->state, connection };
	enum auth_state state = AUTH_GRANTED;

	(void)version;
	(void)data;
	(void)size;
	if (!*context) {
		*context = arg;
		return begin(server, connection, method);
	}
	if (server->auth && !route_is_open(path))
		state = auth_check(server->auth, connection);
	if (state == AUTH_PENDING)
		return MHD_YES;
	return state == AUTH_GRANTED ? route_answer(&request, path)
				     : auth_refuse(connection, state);
}

static struct MHD_Daemon *start_daemon(struct http_server *server, int listen_fd)
{
	const bool tls = server->options->tls_cert;
	struct MHD_OptionItem tls_items[] = {
		{ MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, (void *)tls_retrieve },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)tls_priorities },
		{ MHD_OPTION_END, 0, NULL },
	};
	struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };

	return MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (tls ? MHD_USE_TLS : 0), 0, NULL, NULL,
		handle, server, MHD_OPTION_LISTEN_SOCKET, listen_fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)MAX_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
		(unsigned)MAX_CONNECTIONS_PER_ADDRESS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)REQUEST_BYTES, MHD_OPTION_NOTIFY_CONNECTION, connection_notify,
		&server->state.connections, MHD_OPTION_URI_LOG_CALLBACK, connection_begin_request,
		NULL, MHD_OPTION_NOTIFY_COMPLETED, connection_end_request, NULL, MHD_OPTION_ARRAY,
		tls ? tls_items : none, MHD_OPTION_END);
}

int http_server_new(int listen_fd, struct collector *collector, const struct serve_options *options,
		    struct auth *auth, struct http_server **ret)
{
	struct http_server *server = calloc(1, sizeof(*server));

	if (server) {
		server->options = options;
		server->auth = auth;
		served_state_init(&server->state, collector, options);
		server->daemon = start_daemon(server, listen_fd);
	}
	if (!server || !server->daemon) {
		close(listen_fd);
		auth_free(auth);
		free(server);
		return -ENOMEM;
	}
	*ret = server;
	return 0;
}

void http_server_free(struct http_server *server)
{
	if (!server)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(server->state.streams); i++)
		streams_stop(&server->state.streams[i]);
	auth_free(server->auth);
	MHD_stop_daemon(server->daemon);
	served_state_done(&server->state);
	free(server);
}

void http_server_fds(const struct http_server *server, int ret[HTTP_SERVER_FDS])
{
	ret[0] = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	ret[1] = server->auth ? auth_fd(server->auth) : -1;
}

int http_server_run(struct http_server *server)
{
	MHD_UNSIGNED_LONG_LONG wait_ms;

	connections_end_late(&server->state.connections);
	if (server->auth)
		auth_resume(server->auth);
	served_state_update(&server->state);
	MHD_run(server->daemon);
	if (MHD_get_timeout(server->daemon, &wait_ms) != MHD_YES)
		return TICK_MS;
	return (int)MIN(wait_ms, TICK_MS);
}
