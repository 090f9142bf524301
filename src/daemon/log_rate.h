/* Counters for the rate limit of log lines per user and kind; see user_log.h. */
#pragma once

#include <stdint.h>

/* Lines caused by clients; each kind has its own limit. */
enum log_kind {
	LOG_REFUSED,  /* connections and messages that were refused */
	LOG_IGNORED,  /* invalid legacy records */
	LOG_EXCEEDED, /* limits that were reached */
	LOG_DUMPS,
	LOG_PROGRAMS, /* with --verbose: programs that connect or end */
	LOG_REPORTS,  /* with --verbose: legacy records */
	LOG_KINDS,
};

struct log_rate {
	int64_t from_ns; /* CLOCK_MONOTONIC, when the current second began */
	uint32_t used, left_out;
};
