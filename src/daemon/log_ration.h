/* How many log lines of each kind a user has caused; see user_log.h. */
#pragma once

#include <stdint.h>

/* Lines caused by clients, each kind with a limit of its own. */
enum log_kind {
	LOG_REFUSED,  /* connections and messages that were refused */
	LOG_IGNORED,  /* legacy records that make no sense */
	LOG_EXCEEDED, /* limits that were reached */
	LOG_DUMPS,
	LOG_PROGRAMS, /* with --verbose: programs that come and go */
	LOG_REPORTS,  /* with --verbose: legacy records */
	LOG_KINDS,
};

struct log_ration {
	int64_t from_ns; /* CLOCK_MONOTONIC, when the current second began */
	uint32_t used, left_out;
};
