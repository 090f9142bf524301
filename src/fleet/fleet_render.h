/* A fleet as a table, as JSON and as CSV. */
#pragma once

#include "basic/buf.h"
#include "fleet/fleet.h"
#include "render/render_options.h"

#include <stdbool.h>

/* Lines of the table without --all. */
enum { FLEET_ROWS = 20 };

struct fleet_view {
	const struct fleet *fleet;
	const char *host; /* of the server */
	const char *url;
	double time; /* when it was asked, in seconds since 1970 */
};

void fleet_render_table(struct buf *out, const struct render_options *options,
			const struct fleet_view *view, bool all);

/* docs/fleet-schema.json */
void fleet_render_json(struct buf *out, const struct fleet_view *view, bool pretty);

/* A line per machine, as RFC 4180 has it; an unknown value is empty. */
void fleet_render_csv(struct buf *out, const struct fleet *fleet);

/* "1000 machines   31,988 of 32,000 devices up   1.9MW   …": the totals, for table and screen. */
void fleet_put_totals(struct buf *out, const struct fleet *fleet, bool utf8);

/* "78W", "2.9kW", "1.9MW" */
void fleet_put_watts(struct buf *out, double watts);

/* The columns that table and screen show of a machine; "N/A" for what is unknown. */
void fleet_put_up(struct buf *out, const struct fleet_machine *machine);
void fleet_put_temperature(struct buf *out, const struct fleet_machine *machine, bool utf8);
void fleet_put_power(struct buf *out, const struct fleet_machine *machine);
void fleet_put_share(struct buf *out, const struct fleet_machine *machine, bool utf8); /* "≥76%" */
void fleet_put_state(struct buf *out, const struct fleet *fleet,
		     const struct fleet_machine *machine);
