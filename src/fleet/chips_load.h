/* Fills the chips of a page from a server. */
#pragma once

#include "fleet/chips.h"
#include "fleet/http_client.h"

/* Returns an exit code, with the reason in error; *ret is then untouched. */
MUST_CHECK int chips_load(struct http_client *client, const char *matchers, char *const *instances,
			  size_t count, struct chip_page *ret, struct buf *error);
