/*
 * What the server writes to standard error, one line per event.
 *
 * Lines that clients can cause are rationed per user and kind, so that no user fills the disk or
 * hides the lines about another; the log says how many were left out. Text that comes
 * from clients is cleaned.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>
#include <stdint.h>

struct loop;
struct user;
struct users;

enum log_level {
	LOG_FAULT,   /* the server cannot do its work; always written */
	LOG_REFUSAL, /* a client did what it must not */
	LOG_NOTE,    /* start, end, devices, dumps; not with --quiet */
	LOG_EVENT,   /* every coming and going; only with --verbose */
};

/* Lines caused by clients, each kind with a ration of its own. */
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

/* The lowest level that is still written. */
void log_set(enum log_level most);

/* From now on lines that were left out are counted by a timer. NULL, NULL: no longer. */
void log_start(struct loop *loop, struct users *users);

/* The server's own affairs: FAULT and NOTE, never rationed. */
void log_line(enum log_level level, const char *format, ...) PRINTF(2, 3);

/* Something a user's program did. user NULL: it is not known whose it was. */
void log_user(struct user *user, enum log_kind kind, const char *format, ...) PRINTF(3, 4);
