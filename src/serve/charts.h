/* The last hour of all devices, kept by the serving thread, and the answer of /api/v1/history. */
#pragma once

#include "model/history.h"
#include "serve/collector.h"

#include <microhttpd.h>

struct charts {
	struct history *history; /* NULL: no record yet, or out of memory */
	uint64_t sample;	 /* number of the last record in it */
};

void charts_done(struct charts *charts);

/* Adds the record, if it is a new one. */
void charts_update(struct charts *charts, const struct served_sample *record);

/* Answers with what the arguments of the request select. The record must have a snapshot. */
enum MHD_Result answer_charts(const struct charts *charts, const struct served_sample *record,
			      struct MHD_Connection *connection);
