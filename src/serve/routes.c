#include "serve/routes.h"

#include "serve/access.h"
#include "serve/connections.h"
#include "serve/negotiation.h"
#include "serve/response.h"

#include <string.h>

void served_state_init(struct served_state *state, struct collector *collector,
		       const struct serve_options *options)
{
	state->pages.collector = collector;
	state->pages.options = options;
	state->streams[1].hide_owners = true;
}

void served_state_done(struct served_state *state)
{
	page_cache_drop(&state->pages);
	charts_done(&state->charts);
}

void served_state_update(struct served_state *state)
{
	(void)page_cache_update(&state->pages);
	charts_update(&state->charts, state->pages.record);
	for (size_t i = 0; i < ARRAY_SIZE(state->streams); i++)
		streams_update(&state->streams[i], state->pages.record);
}

static enum MHD_Result answer_stale(const struct http_request *request)
{
	return answer_text(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   request->state->pages.record ? "the last sample is too old: a read hangs"
							: "no sample yet");
}

static enum MHD_Result serve_metrics(const struct http_request *request)
{
	const char *accept = request_header(request->connection, MHD_HTTP_HEADER_ACCEPT);

	if (!page_cache_update(&request->state->pages))
		return answer_stale(request);
	return answer_page(&request->state->pages, request->connection,
			   accept_format(accept) == METRICS_OPENMETRICS ? PAGE_OPENMETRICS
									: PAGE_TEXT);
}

static enum MHD_Result answer_unreadable(const struct http_request *request)
{
	return answer_text(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "the devices of this machine cannot be read");
}

/* The last hour. */
static enum MHD_Result serve_history(const struct http_request *request)
{
	struct served_state *state = request->state;

	if (!page_cache_update(&state->pages))
		return answer_stale(request);
	if (!state->pages.record->snapshot)
		return answer_unreadable(request);
	charts_update(&state->charts, state->pages.record);
	return answer_charts(&state->charts, state->pages.record, request->connection);
}

static enum MHD_Result serve_snapshot(const struct http_request *request)
{
	if (!page_cache_update(&request->state->pages))
		return answer_stale(request);
	if (!request->state->pages.record->snapshot)
		return answer_unreadable(request);
	return answer_page(&request->state->pages, request->connection, PAGE_SNAPSHOT);
}

/* Documents for as long as the client reads them. */
static enum MHD_Result serve_stream(const struct http_request *request)
{
	struct served_state *state = request->state;
	struct http_connection *entry = connection_entry(request->connection);
	struct stream_set *set =
		&state->streams[access_hides_owners(state->pages.options, request->connection)];
	struct MHD_Response *response;
	enum MHD_Result result = MHD_NO;

	if (!page_cache_update(&state->pages))
		return answer_stale(request);
	if (state->streams[0].count + state->streams[1].count >= MAX_STREAMS)
		return answer_text(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "too many streams");
	if (!entry)
		return MHD_NO;
	response = stream_open(set, request->connection, &entry->deadline_ns);
	if (!response)
		return MHD_NO;
	streams_update(set, state->pages.record);
	if (response_add_headers(response, "text/event-stream"))
		result = MHD_queue_response(request->connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result serve_health(const struct http_request *request)
{
	return answer_text(request->connection, MHD_HTTP_OK, "ok");
}

static enum MHD_Result serve_readiness(const struct http_request *request)
{
	if (!page_cache_update(&request->state->pages))
		return answer_stale(request);
	return answer_text(request->connection, MHD_HTTP_OK, "ok");
}

static const struct route {
	const char *path;
	enum MHD_Result (*serve)(const struct http_request *request);
	bool is_open; /* no password is asked for: it says nothing about the machine */
} routes[] = {
	{ "/metrics", serve_metrics },
	{ "/api/v1/snapshot", serve_snapshot },
	{ "/api/v1/stream", serve_stream },
	{ "/api/v1/history", serve_history },
	{ "/healthz", serve_health, .is_open = true },
	{ "/readyz", serve_readiness, .is_open = true },
};

static enum MHD_Result answer_not_found(const struct http_request *request)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, "no such page; there are:");
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++)
		buf_printf(&text, " %s", routes[i].path);
	return answer_text(request->connection, MHD_HTTP_NOT_FOUND, buf_text(&text));
}

static const struct route *find_route(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++)
		if (strcmp(path, routes[i].path) == 0)
			return &routes[i];
	return NULL;
}

bool route_is_open(const char *path)
{
	const struct route *route = find_route(path);

	return route && route->is_open;
}

enum MHD_Result route_answer(const struct http_request *request, const char *path)
{
	const struct route *route = find_route(path);

	return route ? route->serve(request) : answer_not_found(request);
}
