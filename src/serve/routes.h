/* What is served at which path. A new page is a line of the table in routes.c. */
#pragma once

#include "serve/budget.h"
#include "serve/charts.h"
#include "serve/connections.h"
#include "serve/pages.h"
#include "serve/stream.h"
#include "serve/web.h"

#include <microhttpd.h>

enum { STREAM_SNAPSHOT, STREAM_WEB, STREAM_KINDS };

/* What the routes serve from. */
struct served_state {
	struct connection_table connections;
	struct page_cache pages;
	/* Of documents of --json, of documents of the page; each with owners, without. */
	struct stream_set streams[STREAM_KINDS * 2];
	struct charts charts;
	struct budget budget; /* of documents of the history */
	struct web web;
};

void served_state_init(struct served_state *state, struct collector *collector,
		       const struct serve_options *options);
void served_state_done(struct served_state *state);

/* Gets the latest record, and sends it to all streams. */
void served_state_update(struct served_state *state);

/* A request on its way through the handlers. */
struct http_request {
	struct served_state *state;
	struct MHD_Connection *connection;
};

/* Is it for every client, with or without a password? */
bool route_is_open(const char *path);

enum MHD_Result route_answer(const struct http_request *request, const char *path);
