/* What the steps of a scan share: see trace/scan.h. */
#pragma once

#include "trace/file_cache.h"
#include "trace/job_round.h"
#include "trace/library_search.h"
#include "trace/tracer.h"

struct scan_state {
	struct tracer *tracer;
	struct trace_library libraries[TRACE_LIBRARIES]; /* as read from the map by this scan */
	struct file_cache cache;
	struct library_searches searches;
	struct job_round round;
	int64_t patience; /* ns until a process whose files block gets the fault no-answer */
};
