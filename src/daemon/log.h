/*
 * What the server says, on standard error, one line per event.
 *
 * Anybody can make a server log: refusals are therefore rationed, and a line
 * tells how many were left out. Text that comes from clients is cleaned.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>

enum log_level {
	LOG_FAULT,   /* the server cannot do its work; always said */
	LOG_REFUSAL, /* a client did what it must not; rationed */
	LOG_NOTE,    /* start, end, devices; not with --quiet */
	LOG_EVENT,   /* every coming and going; only with --verbose; rationed */
};

/* The lowest level that is still said. */
void log_set(enum log_level most);

void log_line(enum log_level level, const char *format, ...) PRINTF(2, 3);

/* Many lines at once, as they are: the answer to a request to dump. */
void log_text(const char *text, size_t length);
