/* State shared by the steps of a scan: see trace/scan.h. */
#pragma once

#include "trace/file_cache.h"
#include "trace/job_round.h"
#include "trace/library_search.h"
#include "trace/tracer.h"

struct program_links;

struct scan_state {
	struct tracer *tracer;
	/* as read from the map by this scan */
	struct trace_library libraries[TRACE_LIBRARIES];
	struct file_cache cache;
	struct library_searches searches;
	struct job_round round;
	struct program_links *programs; /* NULL: utilisation is not sampled */
	int64_t blocked_limit; /* ns until a process whose files block gets the fault no-answer */
};
