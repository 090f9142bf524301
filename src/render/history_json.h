/*
 * The charts of the last hour as JSON: docs/history-schema.json. Steps of six seconds, or of one
 * second for the last ten minutes, each with its lowest and its highest value in base units.
 */
#pragma once

#include "basic/buf.h"
#include "model/history.h"
#include "render/render_options.h"

struct history_query {
	const char *device; /* its id; NULL: all */
	int metric;	    /* enum metric; -1: all */
	unsigned seconds;   /* up to now; 1 to HISTORY_SECONDS */
};

enum { HISTORY_SECONDS = READING_SPAN_NS / 1000000000 };

/* The snapshot is the last one that was added. False: it has no such device. */
bool history_json_render(struct buf *out, const struct render_options *options,
			 const struct history *history, const struct snapshot *snapshot,
			 const struct history_query *query);
