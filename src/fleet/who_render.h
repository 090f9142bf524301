/* The owners of a fleet as a table, as JSON and as CSV. */
#pragma once

#include "fleet/who.h"
#include "render/render_options.h"

void who_render_table(struct buf *out, const struct render_options *options, const struct who *who,
		      bool all);

/* docs/fleet-who-schema.json; url: of the server, time: in seconds since 1970 */
void who_render_json(struct buf *out, const struct who *who, const char *url, double time,
		     bool pretty);
void who_render_csv(struct buf *out, const struct who *who);
