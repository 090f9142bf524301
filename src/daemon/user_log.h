/*
 * Log lines that clients can cause. They are limited per user and kind and in all, so that no user
 * fills the disk or hides the lines about another; a second later the log says how many were left
 * out.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/log.h"
#include "daemon/log_ration.h"

struct loop;
struct user;
struct users;

/* From now on lines that were left out are counted by a timer. NULL, NULL: no longer. */
void log_start(struct loop *loop, struct users *users);

/* Something a user's program did. user NULL: it is not known which user's. */
void log_user(struct user *user, enum log_kind kind, const char *format, ...) PRINTF(3, 4);
