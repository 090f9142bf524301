/* Fills the owners of a fleet from a server. */
#pragma once

#include "fleet/http_client.h"
#include "fleet/who.h"

/* Returns an exit code, with the reason in error; *ret is then untouched. */
MUST_CHECK int who_load(struct http_client *client, const struct fleet_filter *filter,
			struct who *ret, struct buf *error);
