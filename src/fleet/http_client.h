/*
 * Queries a Prometheus-compatible server over HTTP: several requests at a time, each with a
 * deadline and a limit on the size of its answer. Redirections are not followed, since they could
 * pass credentials on to another server.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_client;

struct http_client_options {
	const char *url;	/* as given by the user */
	const char *token_file; /* with a bearer token; NULL: none */
	const char *user_file;	/* with USER:PASSWORD; NULL: none */
	const char *ca_file;	/* certificates to trust; NULL: those of the system */
	unsigned timeout_ms;
};

struct request {
	const char *path;  /* "/api/v1/query" */
	const char *query; /* PromQL, sent as a form; NULL: a plain GET */
	struct buf answer; /* of status 200 to 499; to be freed by the caller */
};

/*
 * Functions return an exit code, with the reason in error: URL or file, and what went wrong.
 * Credentials are never part of it.
 */
MUST_CHECK int http_client_new(const struct http_client_options *options, struct http_client **ret,
			       struct buf *error);
struct http_client *http_client_free(struct http_client *client);

/* The server's address from the URL: "prom.example:9090". */
const char *http_client_host(const struct http_client *client);

/* The URL in a form fit for messages. */
const char *http_client_url(const struct http_client *client);

/*
 * Sends all requests and waits for their answers, at most until the time of the options has passed
 * since http_client_begin(). An error of one of them is an error of all.
 */
MUST_CHECK int http_client_ask(struct http_client *client, struct request *requests, size_t count,
			       struct buf *error);
void http_client_begin(struct http_client *client);

/* To be called from another thread: http_client_ask() returns soon, now and in future. */
void http_client_cancel(struct http_client *client);
