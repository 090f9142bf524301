/* The bodies that are made from a sample, each once, and kept until there is a newer sample. */
#pragma once

#include "serve/collector.h"
#include "serve/serve_options.h"

#include <microhttpd.h>
#include <stdbool.h>

enum page { PAGE_TEXT, PAGE_OPENMETRICS, PAGE_SNAPSHOT, PAGES };

struct page_cache {
	struct collector *collector;
	const struct serve_options *options;
	struct served_sample *record; /* that of the pages; NULL: none yet */
	/* With and without owners; plain, gzip. NULL: not made yet. */
	struct MHD_Response *responses[PAGES][2][2];
};

void page_cache_drop(struct page_cache *cache);

/* Gets the last record. False: there is none, or it is too old. */
bool page_cache_update(struct page_cache *cache);

/* Answers with a page of the record, which must have a snapshot for PAGE_SNAPSHOT. */
enum MHD_Result answer_page(struct page_cache *cache, struct MHD_Connection *connection,
			    enum page page);
