#include "serve/http.h"

#include "basic/clock.h"
#include "render/render.h"
#include "serve/gzip.h"
#include "serve/negotiation.h"
#include "serve/stream.h"
#include "version.h"

#include <errno.h>
#include <microhttpd.h>
#include <string.h>

enum {
	MAX_CONNECTIONS = 256,
	MAX_CONNECTIONS_PER_ADDRESS = 64,
	REQUEST_BYTES = 16 << 10, /* of one connection: request line and headers */
	TICK_MS = 1000,
};

/*
 * A request, from its first byte to the last of the answer, and the pause between two requests of
 * one connection: Prometheus asks once a minute or more often.
 */
static const int64_t request_ns = 30 * NS_PER_S, idle_ns = 180 * NS_PER_S;

/* A record older than this is not served: the values are no longer those of the machine. */
static const int64_t longest_age_ns = 60 * NS_PER_S;

/* The bodies that are made from a record, each once. */
enum page { PAGE_TEXT, PAGE_OPENMETRICS, PAGE_SNAPSHOT, PAGES };

struct http_connection {
	int fd; /* -1: unused */
	int64_t deadline_ns;
};

struct http_server {
	struct MHD_Daemon *daemon;
	struct collector *collector;
	const struct serve_options *options;
	struct served_sample *record;	      /* that of the pages */
	struct MHD_Response *pages[PAGES][2]; /* NULL: not made yet; plain, gzip */
	struct stream_set streams;
	struct http_connection connections[MAX_CONNECTIONS];
};

/* NULL: the connection has none, since there were too many. */
static struct http_connection *connection_entry(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* A request on its way through the handlers. */
struct http_request {
	struct http_server *server;
	struct MHD_Connection *connection;
};

/* ---- answers ---- */

static const char *request_header(const struct http_request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

/* For a browser: nothing may be loaded, embedded, guessed or kept. */
static bool add_headers(struct MHD_Response *response, const char *type)
{
	static const char *const headers[][2] = {
		{ MHD_HTTP_HEADER_CACHE_CONTROL, "no-store" },
		{ MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding" },
		{ "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Referrer-Policy", "no-referrer" },
		{ "X-Content-Type-Options", "nosniff" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (MHD_add_response_header(response, headers[i][0], headers[i][1]) != MHD_YES)
			return false;
	return MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES;
}

/* Takes the body. NULL: out of memory. */
static struct MHD_Response *make_response(struct buf *body, const char *type)
{
	struct MHD_Response *response;

	if (body->failed || !body->data)
		return NULL;
	buf_fit(body);
	response = MHD_create_response_from_buffer(body->length, body->data, MHD_RESPMEM_MUST_FREE);
	if (!response)
		return NULL;
	*body = (struct buf){ 0 };
	if (!add_headers(response, type)) {
		MHD_destroy_response(response);
		return NULL;
	}
	return response;
}

/* A line of text. A connection whose request was refused may have more to say, and is closed. */
static enum MHD_Result answer_text(const struct http_request *request, unsigned status,
				   const char *text)
{
	CLEANUP_BUF struct buf body = { 0 };
	struct MHD_Response *response;
	enum MHD_Result result;

	buf_printf(&body, "%s\n", text);
	response = make_response(&body, "text/plain; charset=utf-8");
	if (!response)
		return MHD_NO;
	if (status >= MHD_HTTP_BAD_REQUEST && status < MHD_HTTP_INTERNAL_SERVER_ERROR)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(request->connection, status, response);
	MHD_destroy_response(response);
	return result;
}

/* ---- pages ---- */

static void drop_pages(struct http_server *server)
{
	for (size_t i = 0; i < PAGES; i++)
		for (size_t gzip = 0; gzip < 2; gzip++) {
			if (server->pages[i][gzip])
				MHD_destroy_response(server->pages[i][gzip]);
			server->pages[i][gzip] = NULL;
		}
	server->record = served_sample_unref(server->record);
}

/* Gets the last record. False: there is none, or it is too old. */
static bool update_record(struct http_server *server)
{
	struct served_sample *latest = collector_latest(server->collector);

	if (latest && server->record && latest->number == server->record->number) {
		served_sample_unref(latest);
	} else {
		drop_pages(server);
		server->record = latest;
	}
	return server->record &&
	       clock_now(CLOCK_MONOTONIC) - server->record->taken_ns < longest_age_ns;
}

static const char *render_page(const struct http_server *server, enum page page, struct buf *out)
{
	const struct served_sample *record = server->record;
	const struct render_options look = { .version = TT_SMI_VERSION, .utf8 = true };
	const enum metrics_format format =
		page == PAGE_OPENMETRICS ? METRICS_OPENMETRICS : METRICS_TEXT;
	const struct metrics_view view = {
		.version = TT_SMI_VERSION,
		.snapshot = record->snapshot,
		.totals = record->totals,
		.expected = server->options->expected,
		.left_out = server->options->left_out,
	};

	if (page == PAGE_SNAPSHOT) {
		json_render(out, &look, record->snapshot, false);
		return "application/json";
	}
	metrics_render(out, &view, format);
	return metrics_content_type(format);
}

/* NULL: out of memory. */
static struct MHD_Response *make_page(const struct http_server *server, enum page page, bool gzip)
{
	CLEANUP_BUF struct buf body = { 0 }, packed = { 0 };
	const char *type = render_page(server, page, &body);
	struct MHD_Response *response;

	if (gzip)
		gzip_add(&packed, body.data, body.length);
	response = make_response(gzip ? &packed : &body, type);
	if (response && gzip)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	return response;
}

static enum MHD_Result answer_page(const struct http_request *request, enum page page)
{
	bool gzip = accepts_gzip(request_header(request, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	struct MHD_Response **response = &request->server->pages[page][gzip];

	if (!*response)
		*response = make_page(request->server, page, gzip);
	if (!*response)
		return MHD_NO;
	return MHD_queue_response(request->connection, MHD_HTTP_OK, *response);
}

/* ---- routes ---- */

static enum MHD_Result answer_stale(const struct http_request *request)
{
	return answer_text(request, MHD_HTTP_SERVICE_UNAVAILABLE,
			   request->server->record ? "the last sample is too old: a read hangs"
						   : "no sample yet");
}

static enum MHD_Result serve_metrics(const struct http_request *request)
{
	const char *accept = request_header(request, MHD_HTTP_HEADER_ACCEPT);

	if (!update_record(request->server))
		return answer_stale(request);
	return answer_page(request, accept_format(accept) == METRICS_OPENMETRICS ? PAGE_OPENMETRICS
										 : PAGE_TEXT);
}

static enum MHD_Result serve_snapshot(const struct http_request *request)
{
	if (!update_record(request->server))
		return answer_stale(request);
	if (!request->server->record->snapshot)
		return answer_text(request, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "the devices of this machine cannot be read");
	return answer_page(request, PAGE_SNAPSHOT);
}

/* Documents for as long as the client reads them. */
static enum MHD_Result serve_stream(const struct http_request *request)
{
	struct http_server *server = request->server;
	struct http_connection *entry = connection_entry(request->connection);
	struct MHD_Response *response;
	enum MHD_Result result = MHD_NO;

	if (!update_record(server))
		return answer_stale(request);
	if (server->streams.count >= MAX_STREAMS)
		return answer_text(request, MHD_HTTP_SERVICE_UNAVAILABLE, "too many streams");
	if (!entry)
		return MHD_NO;
	response = stream_open(&server->streams, request->connection, &entry->deadline_ns);
	if (!response)
		return MHD_NO;
	streams_update(&server->streams, server->record);
	if (add_headers(response, "text/event-stream"))
		result = MHD_queue_response(request->connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result serve_health(const struct http_request *request)
{
	return answer_text(request, MHD_HTTP_OK, "ok");
}

static enum MHD_Result serve_readiness(const struct http_request *request)
{
	if (!update_record(request->server))
		return answer_stale(request);
	return answer_text(request, MHD_HTTP_OK, "ok");
}

static const struct route {
	const char *path;
	bool local; /* names users, commands and containers: for clients on this machine only */
	enum MHD_Result (*serve)(const struct http_request *request);
} routes[] = {
	{ "/metrics", false, serve_metrics },	  { "/api/v1/snapshot", true, serve_snapshot },
	{ "/api/v1/stream", true, serve_stream }, { "/healthz", false, serve_health },
	{ "/readyz", false, serve_readiness },
};

static enum MHD_Result answer_not_found(const struct http_request *request)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, "no such page; there are:");
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++)
		buf_printf(&text, " %s", routes[i].path);
	return answer_text(request, MHD_HTTP_NOT_FOUND, buf_text(&text));
}

static bool is_local(const struct http_request *request)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	return info && address_is_loopback(info->client_addr);
}

static bool has_body(const struct http_request *request)
{
	const char *length = request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return request_header(request, MHD_HTTP_HEADER_TRANSFER_ENCODING) ||
	       (length && strcmp(length, "0") != 0);
}

static enum MHD_Result answer(const struct http_request *request, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		if (strcmp(path, routes[i].path) != 0)
			continue;
		if (routes[i].local && !is_local(request))
			return answer_text(request, MHD_HTTP_FORBIDDEN,
					   "only for clients on this machine: it names users and "
					   "their commands");
		return routes[i].serve(request);
	}
	return answer_not_found(request);
}

/* Why a request is refused, whatever it asks for; NULL: it is not. */
static const char *find_fault(const struct http_request *request, const char *method,
			      unsigned *ret_status)
{
	if (!host_is_accepted(request_header(request, MHD_HTTP_HEADER_HOST),
			      &request->server->options->hosts)) {
		*ret_status = MHD_HTTP_MISDIRECTED_REQUEST;
		return "this server is not known by that name; start it with --host NAME";
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
		*ret_status = MHD_HTTP_METHOD_NOT_ALLOWED;
		return "only GET and HEAD are served";
	}
	if (has_body(request)) {
		*ret_status = MHD_HTTP_CONTENT_TOO_LARGE;
		return "a request must not have a body";
	}
	return NULL;
}

/* Called when the headers are complete, and again when the whole request is. */
static enum MHD_Result handle(void *arg, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **context)
{
	const struct http_request request = { arg, connection };
	unsigned status;
	const char *fault;

	(void)version;
	(void)data;
	(void)size;
	if (*context)
		return answer(&request, path);
	*context = arg;
	fault = find_fault(&request, method, &status);
	return fault ? answer_text(&request, status, fault) : MHD_YES;
}

/* ---- connections and their deadlines ---- */

static void watch_connection(void *arg, struct MHD_Connection *connection, void **context,
			     enum MHD_ConnectionNotificationCode code)
{
	struct http_server *server = arg;
	struct http_connection *entry = *context;
	size_t i = 0;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (entry)
			entry->fd = -1;
		return;
	}
	while (i < MAX_CONNECTIONS && server->connections[i].fd >= 0)
		i++;
	if (i == MAX_CONNECTIONS)
		return; /* not reached: the library accepts no more either */
	entry = &server->connections[i];
	entry->fd =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	entry->deadline_ns = clock_now(CLOCK_MONOTONIC) + request_ns;
	*context = entry;
}

static void set_deadline(struct MHD_Connection *connection, int64_t limit_ns)
{
	struct http_connection *entry = connection_entry(connection);

	if (entry)
		entry->deadline_ns = clock_now(CLOCK_MONOTONIC) + limit_ns;
}

/* Called when the first line of a request is complete. */
static void *begin_request(void *arg, const char *uri, struct MHD_Connection *connection)
{
	(void)arg;
	(void)uri;
	set_deadline(connection, request_ns);
	return NULL;
}

static void end_request(void *arg, struct MHD_Connection *connection, void **context,
			enum MHD_RequestTerminationCode code)
{
	(void)arg;
	(void)context;
	(void)code;
	set_deadline(connection, idle_ns);
}

/* The library then sees the end of the connection, and closes it. */
static void end_late_connections(struct http_server *server)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
		struct http_connection *entry = &server->connections[i];

		if (entry->fd < 0 || now < entry->deadline_ns)
			continue;
		shutdown(entry->fd, SHUT_RDWR);
		entry->deadline_ns = INT64_MAX;
	}
}

/* ---- the server ---- */

int http_server_new(int listen_fd, struct collector *collector, const struct serve_options *options,
		    struct http_server **ret)
{
	struct http_server *server = calloc(1, sizeof(*server));

	if (server) {
		server->collector = collector;
		server->options = options;
		for (size_t i = 0; i < MAX_CONNECTIONS; i++)
			server->connections[i].fd = -1;
		server->daemon = MHD_start_daemon(
			MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, server,
			MHD_OPTION_LISTEN_SOCKET, listen_fd, MHD_OPTION_CONNECTION_LIMIT,
			(unsigned)MAX_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
			(unsigned)MAX_CONNECTIONS_PER_ADDRESS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
			(size_t)REQUEST_BYTES, MHD_OPTION_NOTIFY_CONNECTION, watch_connection,
			server, MHD_OPTION_URI_LOG_CALLBACK, begin_request, NULL,
			MHD_OPTION_NOTIFY_COMPLETED, end_request, NULL, MHD_OPTION_END);
	}
	if (!server || !server->daemon) {
		close(listen_fd);
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
	streams_stop(&server->streams);
	MHD_stop_daemon(server->daemon);
	drop_pages(server);
	free(server);
}

int http_server_fd(const struct http_server *server)
{
	return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int http_server_run(struct http_server *server)
{
	MHD_UNSIGNED_LONG_LONG wait_ms;

	end_late_connections(server);
	(void)update_record(server);
	streams_update(&server->streams, server->record);
	MHD_run(server->daemon);
	if (MHD_get_timeout(server->daemon, &wait_ms) != MHD_YES)
		return TICK_MS;
	return (int)MIN(wait_ms, TICK_MS);
}
