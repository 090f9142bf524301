/* The full screen of tt_smi fleet -w; it needs ncurses (src/fleet_tui/). */
#pragma once

#include "fleet/fleet.h"
#include "fleet/http_client.h"

struct fleet_screen {
	struct http_client *client;
	const struct fleet_filter *filter;
	unsigned period_ms;
	bool color, utf8;
};

/*
 * Shows it until the user quits. Returns an exit code; *ret_signal is the signal to end by, or 0.
 * *ret_stuck: a request still uses the client, which must not be freed.
 */
MUST_CHECK int fleet_screen_run(const struct fleet_screen *screen, int *ret_signal,
				bool *ret_stuck);
