/*
 * The thread that queries the server, so that the screen never waits for it:
 *
 *	thread:  ask for the fleet ── ask for the page ── publish ── wait for the tick or a new page
 *… screen:      … poll(keys, fleet_feed_fd()) ── fleet_feed_take() ── draw …
 */
#pragma once

#include "fleet/chips.h"
#include "fleet/fleet.h"
#include "fleet/http_client.h"

#include <stdint.h>

struct fleet_feed;

/* What the thread has received since the last call. */
struct fleet_news {
	bool has_fleet, has_page;
	struct fleet fleet; /* to be freed by the caller, as is the page */
	struct chip_page page;
	int64_t answered_ns; /* when the server last answered (CLOCK_MONOTONIC); 0: never */
	char error[400];     /* why the last query failed; "": it did not */
};

/* Client and filter must outlive it. -errno. */
MUST_CHECK int fleet_feed_new(struct http_client *client, const struct fleet_filter *filter,
			      unsigned period_ms, struct fleet_feed **ret);

/*
 * Ends the thread. False: it still waits for a resolver of names, and uses the feed and the
 * client, which must not be freed.
 */
MUST_CHECK bool fleet_feed_free(struct fleet_feed *feed);

/* Readable when there is news. */
int fleet_feed_fd(const struct fleet_feed *feed);
void fleet_feed_take(struct fleet_feed *feed, struct fleet_news *ret);

/* The machines whose chips are shown: loaded at once if they differ, and with each refresh. */
void fleet_feed_set_page(struct fleet_feed *feed, const char *const *instances, size_t count);

void fleet_feed_set_period(struct fleet_feed *feed, unsigned period_ms);
