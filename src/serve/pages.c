#include "serve/pages.h"

#include "basic/clock.h"
#include "render/render.h"
#include "serve/access.h"
#include "serve/negotiation.h"
#include "serve/response.h"
#include "version.h"

/* A record older than this is not served: the values are no longer those of the machine. */
static const int64_t longest_age_ns = 60 * NS_PER_S;

void page_cache_drop(struct page_cache *cache)
{
	struct MHD_Response **responses = &cache->responses[0][0][0];

	for (size_t i = 0; i < sizeof(cache->responses) / sizeof(*responses); i++) {
		if (responses[i])
			MHD_destroy_response(responses[i]);
		responses[i] = NULL;
	}
	cache->record = served_sample_unref(cache->record);
}

bool page_cache_update(struct page_cache *cache)
{
	struct served_sample *latest = collector_latest(cache->collector);

	if (latest && cache->record && latest->number == cache->record->number) {
		served_sample_unref(latest);
	} else {
		page_cache_drop(cache);
		cache->record = latest;
	}
	return cache->record &&
	       clock_now(CLOCK_MONOTONIC) - cache->record->taken_ns < longest_age_ns;
}

/* What a client gets. */
struct page_choice {
	enum page page;
	bool hide_owners; /* access_hides_owners() */
	bool gzip;
};

static const char *render_page(const struct page_cache *cache, const struct page_choice *choice,
			       struct buf *out)
{
	const struct served_sample *record = cache->record;
	const struct render_options look = {
		.version = TT_SMI_VERSION,
		.utf8 = true,
		.hide_owners = choice->hide_owners,
	};
	const enum metrics_format format =
		choice->page == PAGE_OPENMETRICS ? METRICS_OPENMETRICS : METRICS_TEXT;
	const struct metrics_view view = {
		.version = TT_SMI_VERSION,
		.snapshot = record->snapshot,
		.totals = record->totals,
		.expected = cache->options->expected,
		.left_out = cache->options->left_out,
		.hide_owners = choice->hide_owners,
		.owners = &record->owners,
		.dropped = record->dropped,
	};

	if (choice->page == PAGE_SNAPSHOT) {
		json_render(out, &look, record->snapshot, false);
		return "application/json";
	}
	metrics_render(out, &view, format);
	return metrics_content_type(format);
}

/* NULL: out of memory. */
static struct MHD_Response *make_page(const struct page_cache *cache,
				      const struct page_choice *choice)
{
	CLEANUP_BUF struct buf body = { 0 };
	const char *type = render_page(cache, choice, &body);

	return choice->gzip ? response_new_packed(&body, type) : response_new(&body, type);
}

enum MHD_Result answer_page(struct page_cache *cache, struct MHD_Connection *connection,
			    enum page page)
{
	const struct page_choice choice = {
		.page = page,
		.hide_owners = access_hides_owners(cache->options, connection),
		.gzip = accepts_gzip(request_header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING)),
	};
	struct MHD_Response **response = &cache->responses[page][choice.hide_owners][choice.gzip];

	if (!*response)
		*response = make_page(cache, &choice);
	if (!*response)
		return MHD_NO;
	return MHD_queue_response(connection, MHD_HTTP_OK, *response);
}
