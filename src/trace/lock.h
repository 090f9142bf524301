/*
 * Locks between tracers: a process holds LOCK_STATE while it changes the pinned state, and
 * LOCK_WATCH for as long as it watches. The kernel releases them when the process ends. Only root
 * may open the file: a lock that any user can take protects nothing.
 */
#pragma once

#include "trace/pins.h"

#include "basic/macros.h"

#include <sys/types.h>

#define LOCK_FILE TRACE_FOLDER "/trace.lock"

enum lock_kind {
	LOCK_STATE,
	LOCK_WATCH,
	LOCK_STOP, /* held by `stop`, so that two of them do not kill each other */
};

/* Opens the lock file. Returns a descriptor, or -errno. */
MUST_CHECK int lock_open(void);

/* Blocks until it is free. */
MUST_CHECK int lock_take(int fd, enum lock_kind kind);
/* -EAGAIN: another process has it. */
MUST_CHECK int lock_try(int fd, enum lock_kind kind);
void lock_drop(int fd, enum lock_kind kind);

/* The pid of the process that holds it; 0: none. */
pid_t lock_owner(int fd, enum lock_kind kind);
