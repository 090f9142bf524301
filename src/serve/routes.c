#include "serve/routes.h"

#include "basic/clock.h"
#include "basic/parse.h"
#include "render/render.h"
#include "render/web_json.h"
#include "serve/access.h"
#include "serve/asset.h"
#include "serve/negotiation.h"
#include "serve/response.h"
#include "version.h"

#include <string.h>

static void put_snapshot(struct buf *out, const struct stream_set *set,
			 const struct served_sample *record)
{
	const struct render_options look = {
		.version = TT_SMI_VERSION,
		.utf8 = true,
		.hide_owners = set->hide_owners,
	};

	json_render(out, &look, record->snapshot, false);
}

static void put_web(struct buf *out, const struct stream_set *set,
		    const struct served_sample *record)
{
	web_put_record(out, set->arg, record, set->hide_owners);
}

void served_state_init(struct served_state *state, struct collector *collector,
		       const struct serve_options *options)
{
	connections_init(&state->connections);
	state->pages.collector = collector;
	state->pages.options = options;
	state->web.options = options;
	state->web.charts = &state->charts;
	for (size_t i = 0; i < ARRAY_SIZE(state->streams); i++) {
		state->streams[i].put = i / 2 == STREAM_WEB ? put_web : put_snapshot;
		state->streams[i].arg = &state->web;
		state->streams[i].hide_owners = i % 2;
	}
}

void served_state_done(struct served_state *state)
{
	page_cache_drop(&state->pages);
	charts_done(&state->charts);
	web_done(&state->web);
}

/*
 * The latest record, in all that is kept of earlier ones. False: there is none, or it is too old.
 */
static bool get_record(struct served_state *state)
{
	bool current = page_cache_update(&state->pages);

	charts_update(&state->charts, state->pages.record);
	web_update(&state->web, state->pages.record);
	return current;
}

void served_state_update(struct served_state *state)
{
	(void)get_record(state);
	for (size_t i = 0; i < ARRAY_SIZE(state->streams); i++)
		streams_update(&state->streams[i], state->pages.record);
}

static enum MHD_Result answer_stale(const struct http_request *request)
{
	return answer_text(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   request->state->pages.record ? "the last sample is too old: a read hangs"
							: "no sample yet");
}

static enum MHD_Result answer_unreadable(const struct http_request *request)
{
	return answer_text(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "the devices of this machine cannot be read");
}

static enum MHD_Result serve_metrics(const struct http_request *request)
{
	const char *accept = request_header(request->connection, MHD_HTTP_HEADER_ACCEPT);

	if (!get_record(request->state))
		return answer_stale(request);
	if (!request->state->pages.record->snapshot)
		return answer_unreadable(request);
	return answer_page(&request->state->pages, request->connection,
			   accept_format(accept) == METRICS_OPENMETRICS ? PAGE_OPENMETRICS
									: PAGE_TEXT);
}

static enum MHD_Result answer_later(struct MHD_Connection *connection, enum budget_answer answer)
{
	static const struct response_header later = { MHD_HTTP_HEADER_RETRY_AFTER, "1" };

	if (answer == BUDGET_SPENT)
		return answer_text_with(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
					"too many requests for the history; try later", &later);
	return answer_text_with(connection, MHD_HTTP_TOO_MANY_REQUESTS,
				"too many requests for the history from this address; try later",
				&later);
}

/* The last hour: a document of up to megabytes, made for each request, so its cost is limited. */
static enum MHD_Result serve_history(const struct http_request *request)
{
	struct served_state *state = request->state;
	const struct http_connection *entry = connection_entry(request->connection);
	int64_t now_ns = clock_now(CLOCK_MONOTONIC), begun_ns = clock_now(CLOCK_THREAD_CPUTIME_ID);
	enum budget_answer answer;
	enum MHD_Result result;

	if (!entry)
		return MHD_NO;
	if (!get_record(state))
		return answer_stale(request);
	if (!state->pages.record->snapshot)
		return answer_unreadable(request);
	answer = budget_ask(&state->budget, &entry->client, now_ns);
	if (answer != BUDGET_ALLOWED)
		return answer_later(request->connection, answer);
	result = answer_charts(&state->charts, state->pages.record, request->connection);
	budget_charge(&state->budget, &entry->client, now_ns,
		      clock_now(CLOCK_THREAD_CPUTIME_ID) - begun_ns);
	return result;
}

static enum MHD_Result serve_snapshot(const struct http_request *request)
{
	if (!get_record(request->state))
		return answer_stale(request);
	if (!request->state->pages.record->snapshot)
		return answer_unreadable(request);
	return answer_page(&request->state->pages, request->connection, PAGE_SNAPSHOT);
}

/* Documents for as long as the client reads them. */
static enum MHD_Result open_stream(const struct http_request *request, struct stream_set *set)
{
	struct served_state *state = request->state;
	struct http_connection *entry = connection_entry(request->connection);
	struct MHD_Response *response;
	enum MHD_Result result = MHD_NO;

	if (!entry)
		return MHD_NO;
	if (!get_record(state))
		return answer_stale(request);
	if (connections_count(&state->connections, true, &entry->client) >= MAX_STREAMS_PER_ADDRESS)
		return answer_text(request->connection, MHD_HTTP_TOO_MANY_REQUESTS,
				   "too many streams of this address");
	if (!connection_begin_stream(&state->connections, entry))
		return answer_text(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "too many streams");
	response = stream_open(set, request->connection, entry);
	if (!response)
		return MHD_NO;
	streams_update(set, state->pages.record);
	if (response_add_headers(response, "text/event-stream"))
		result = MHD_queue_response(request->connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

static bool hides_owners(const struct http_request *request)
{
	return access_hides_owners(request->state->pages.options, request->connection);
}

static enum MHD_Result serve_stream(const struct http_request *request)
{
	return open_stream(request,
			   &request->state->streams[STREAM_SNAPSHOT * 2 + hides_owners(request)]);
}

static enum MHD_Result serve_page_stream(const struct http_request *request)
{
	return open_stream(request,
			   &request->state->streams[STREAM_WEB * 2 + hides_owners(request)]);
}

/* One device, for the page. */
static enum MHD_Result serve_page_device(const struct http_request *request)
{
	struct served_state *state = request->state;
	const char *id =
		MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, "id");
	CLEANUP_BUF struct buf body = { 0 };

	if (!get_record(state))
		return answer_stale(request);
	if (!state->pages.record->snapshot)
		return answer_unreadable(request);
	if (!id || !web_put_record_device(&body, &state->web, state->pages.record,
					  hides_owners(request), id))
		return answer_text(request->connection, MHD_HTTP_NOT_FOUND,
				   "there is no such device");
	return answer_body(request->connection, &body, "application/json");
}

/* One process, for the page. */
static enum MHD_Result serve_page_process(const struct http_request *request)
{
	struct served_state *state = request->state;
	const char *pid =
		MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, "pid");
	CLEANUP_BUF struct buf body = { 0 };
	uint32_t number;

	if (!get_record(state))
		return answer_stale(request);
	if (!state->pages.record->snapshot)
		return answer_unreadable(request);
	if (!pid || parse_u32(pid, &number) < 0 || number > INT32_MAX ||
	    !web_put_record_process(&body, &state->web, state->pages.record, hides_owners(request),
				    (int32_t)number))
		return answer_text(request->connection, MHD_HTTP_NOT_FOUND,
				   "there is no such process");
	return answer_body(request->connection, &body, "application/json");
}

/* The columns of the page. */
static enum MHD_Result serve_page_about(const struct http_request *request)
{
	CLEANUP_BUF struct buf body = { 0 };

	web_put_about(&body, TT_SMI_VERSION);
	return answer_body(request->connection, &body, "application/json");
}

static enum MHD_Result serve_health(const struct http_request *request)
{
	return answer_text(request->connection, MHD_HTTP_OK, "ok");
}

static enum MHD_Result serve_readiness(const struct http_request *request)
{
	if (!get_record(request->state))
		return answer_stale(request);
	if (!request->state->pages.record->snapshot)
		return answer_unreadable(request);
	return answer_text(request->connection, MHD_HTTP_OK, "ok");
}

static const struct route {
	const char *path;
	enum MHD_Result (*serve)(const struct http_request *request);
	bool is_open; /* needs no password: it reveals nothing about the machine */
} routes[] = {
	{ "/metrics", serve_metrics },
	{ "/api/v1/snapshot", serve_snapshot },
	{ "/api/v1/stream", serve_stream },
	{ "/api/v1/history", serve_history },
	{ "/healthz", serve_health, .is_open = true },
	{ "/readyz", serve_readiness, .is_open = true },
	{ "/page/stream", serve_page_stream },
	{ "/page/device", serve_page_device },
	{ "/page/process", serve_page_process },
	{ "/page/about", serve_page_about },
};

static enum MHD_Result answer_not_found(const struct http_request *request)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, "no such page; the pages are:");
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
	const struct asset *asset = asset_find(path);

	if (route)
		return route->serve(request);
	return asset ? answer_asset(request->connection, asset) : answer_not_found(request);
}
