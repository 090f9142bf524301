#include "serve/charts.h"

#include "basic/clock.h"
#include "basic/parse.h"
#include "render/history_json.h"
#include "serve/negotiation.h"
#include "serve/response.h"
#include "version.h"

#include <string.h>

/* A sample that is missing leaves a gap, one that is late does not. */
static const int64_t hold_ns = 5 * NS_PER_S / 2;

void charts_done(struct charts *charts)
{
	charts->history = history_free(charts->history);
}

void charts_update(struct charts *charts, const struct served_sample *record)
{
	if (!record || !record->snapshot || record->number == charts->sample)
		return;
	charts->sample = record->number;
	if (!charts->history && history_new(&charts->history, 0) < 0)
		return;
	/* Without memory there is a gap. */
	(void)history_add(charts->history, record->snapshot, hold_ns);
}

static const char *argument(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/* Why the arguments are invalid; NULL: they are valid. */
static const char *read_query(struct MHD_Connection *connection, struct history_query *ret)
{
	const char *metric = argument(connection, "metric"),
		   *seconds = argument(connection, "seconds");
	uint64_t number = HISTORY_SECONDS;

	*ret = (struct history_query){ .device = argument(connection, "device"), .metric = -1 };
	for (int i = 0; metric && i < METRIC_N; i++)
		if (strcmp(metric_names[i], metric) == 0)
			ret->metric = i;
	if (metric && ret->metric < 0)
		return "there is no such metric";
	if (seconds && (parse_u64(seconds, &number) < 0 || !number || number > HISTORY_SECONDS))
		return "seconds: from 1 to 3600";
	ret->seconds = (unsigned)number;
	return NULL;
}

enum MHD_Result answer_charts(const struct charts *charts, const struct served_sample *record,
			      struct MHD_Connection *connection)
{
	const struct render_options look = { .version = TT_SMI_VERSION, .utf8 = true };
	CLEANUP_BUF struct buf body = { 0 };
	struct history_query query;
	const char *fault = read_query(connection, &query);

	if (fault)
		return answer_text(connection, MHD_HTTP_BAD_REQUEST, fault);
	if (!charts->history)
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
	if (!history_json_render(&body, &look, charts->history, record->snapshot, &query))
		return answer_text(connection, MHD_HTTP_NOT_FOUND, "there is no such device");
	return answer_body(connection, &body, "application/json");
}
