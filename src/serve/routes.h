/* What is served at which path. A new page is a line of the table in routes.c. */
#pragma once

#include "serve/pages.h"
#include "serve/stream.h"

#include <microhttpd.h>

/* What the routes serve from. */
struct served_state {
	struct page_cache pages;
	struct stream_set streams;
};

/* A request on its way through the handlers. */
struct http_request {
	struct served_state *state;
	struct MHD_Connection *connection;
};

enum MHD_Result route_answer(const struct http_request *request, const char *path);
