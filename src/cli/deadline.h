/* A limit for waiting, as an option gives it in seconds, and how often to check again. */
#pragma once

#include "basic/option.h"

#include <stdbool.h>
#include <stdint.h>

struct timeout {
	bool given;
	uint32_t seconds;
};

/* A setter: struct timeout. */
int option_timeout(const struct option_given *given, void *member);

/* CLOCK_MONOTONIC in nanoseconds; INT64_MAX without a limit. */
int64_t timeout_deadline(const struct timeout *timeout);

/* Sleeps for a while, but not beyond the deadline. False: it has passed already. */
bool deadline_pause(int64_t deadline_ns, int64_t pause_ns);

/* While another run decides. */
void sleep_briefly(void);
