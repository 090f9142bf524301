/*
 * Fills a fleet from a server: from the recording rules of share/prometheus/ where the server has
 * them, else from the series of the machines, with the same result.
 */
#pragma once

#include "fleet/http_client.h"
#include "fleet/fleet.h"

/*
 * Returns an exit code, with the reason in error; *ret is then untouched. EXIT_FINE with a count
 * of 0: no machine was found.
 */
MUST_CHECK int fleet_load(struct http_client *client, const struct fleet_filter *filter,
			  struct fleet *ret, struct buf *error);
