/* Start, run and stop of the server. */
#pragma once

#include "basic/macros.h"

struct manager;
struct server_options;

/* On failure it is partly initialized: call server_done(). Logs the error. */
MUST_CHECK int server_init(struct manager *manager, const struct server_options *options);

/* Runs until a signal stops it. */
MUST_CHECK int server_run(struct manager *manager);

/* Sends pending answers, and closes connections that do not read theirs in time. */
void server_drain(struct manager *manager);

void server_done(struct manager *manager);
