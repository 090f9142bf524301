/*
 * Log lines that clients can cause. They are limited per user and kind and in total, so that no
 * user fills the disk or hides the lines about another. A second later the log has a line with the
 * number of suppressed lines.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/log.h"
#include "daemon/log_rate.h"

struct loop;
struct user;
struct users;

/* Enables reports about suppressed lines, by a timer. NULL, NULL: disables them. */
void log_start(struct loop *loop, struct users *users);

/* Logs an action of a user's program. user NULL: the user is unknown. */
void log_user(struct user *user, enum log_kind kind, const char *format, ...) PRINTF(3, 4);
