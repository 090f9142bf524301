/* The server from its start to its end. */
#pragma once

#include "basic/macros.h"

struct manager;
struct server_options;

/* Half-built on failure: server_done() takes it. Says what went wrong. */
MUST_CHECK int server_init(struct manager *manager, const struct server_options *options);

/* Until a signal ends it. */
MUST_CHECK int server_run(struct manager *manager);

/* Sends answers that are due, and closes connections that do not take theirs. */
void server_drain(struct manager *manager);

void server_done(struct manager *manager);
