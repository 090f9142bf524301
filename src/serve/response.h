/* Answers of the HTTP server: headers that all of them have, and answers of a line of text. */
#pragma once

#include "basic/buf.h"

#include <microhttpd.h>
#include <stdbool.h>

/* A header of the request; NULL: it has none. */
const char *request_header(struct MHD_Connection *connection, const char *name);

/* Adds the headers of every answer. They forbid a browser to load or embed anything, to guess
 * types, and to cache. */
bool response_add_headers(struct MHD_Response *response, const char *type);

/* The same for the files of the page: it may load its own parts, and a browser may keep them if it
 * asks each time whether they have changed. */
bool response_add_page_headers(struct MHD_Response *response, const char *type);

/* An answer with those headers. Takes the body. NULL: out of memory. */
struct MHD_Response *response_new(struct buf *body, const char *type);
struct MHD_Response *response_new_packed(const struct buf *body, const char *type); /* with gzip */

/* The same as an answer, packed if the client accepts that. */
enum MHD_Result answer_body(struct MHD_Connection *connection, struct buf *body, const char *type);

struct response_header {
	const char *name, *value;
};

/* A line of text. A connection whose request was refused is closed, since the rest of the request
 * may follow. */
enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text);

/* The same with another header; NULL: none. */
enum MHD_Result answer_text_with(struct MHD_Connection *connection, unsigned status,
				 const char *text, const struct response_header *header);
