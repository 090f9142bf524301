/*
 * What the server writes to standard error, one line per event. Text that comes from clients is
 * cleaned. A reader of the log that stalls loses lines; it does not stall the server.
 *
 * Lines that clients can cause are written by user_log.h, which limits their rate.
 */
#pragma once

#include "basic/macros.h"

#include <stdarg.h>
#include <stdbool.h>

enum log_level {
	LOG_FAULT,   /* the server cannot do its work; always written */
	LOG_REFUSAL, /* a client did what it must not */
	LOG_NOTE,    /* start, end, devices, dumps; not with --quiet */
	LOG_EVENT,   /* every client that comes or goes; only with --verbose */
};

/* The lowest level that is still written. */
void log_set(enum log_level most);
bool log_writes(enum log_level level);

/* The server's own affairs: FAULT and NOTE, without a rate limit. */
void log_line(enum log_level level, const char *format, ...) PRINTF(2, 3);
void log_text(enum log_level level, const char *format, va_list args) PRINTF(2, 0);

/* How many lines were lost since the last call because the log's reader stalled. */
unsigned log_take_lost(void);
