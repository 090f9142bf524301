/*
 * What a client may see. Command lines, users and owners (job, pod, container, unit) are for
 * clients that have authenticated themselves and, on a server without passwords, for those on the
 * machine itself. All else is for every client that can connect.
 */
#pragma once

#include "serve/serve_options.h"

#include <microhttpd.h>
#include <stdbool.h>

/* The one place that decides it, for every page and stream. */
bool access_hides_owners(const struct serve_options *options, struct MHD_Connection *connection);
