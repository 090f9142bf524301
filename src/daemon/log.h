/*
 * The log on standard error, one line per event. Control characters in clients' text are replaced.
 * If the reader of the log stalls, lines are dropped; the server does not wait.
 *
 * Lines that clients can cause are written by user_log.h, which limits their rate.
 */
#pragma once

#include "basic/macros.h"

#include <stdarg.h>
#include <stdbool.h>

enum log_level {
	LOG_FAULT,   /* the server cannot do its work; always written */
	LOG_REFUSAL, /* a client's request was refused */
	LOG_NOTE,    /* start, stop, devices, dumps; suppressed by --quiet */
	LOG_EVENT,   /* clients that connect or end; only with --verbose */
};

/* Sets the lowest level that is written. */
void log_set(enum log_level most);
bool log_writes(enum log_level level);

/* For the server's own events (FAULT and NOTE), without a rate limit. */
void log_line(enum log_level level, const char *format, ...) PRINTF(2, 3);
void log_text(enum log_level level, const char *format, va_list args) PRINTF(2, 0);

/* Number of lines dropped since the last call because the reader stalled. */
unsigned log_take_lost(void);
