/*
 * One at a time: who changes the pinned state holds one lock while it does; who
 * watches holds another for as long as it runs. They end with the process, however it
 * ends. The file is for root only: a lock that any user can take is none.
 */
#pragma once

#include "trace/pins.h"

#include "basic/macros.h"

#include <sys/types.h>

#define LOCK_FILE TRACE_FOLDER "/trace.lock"

enum lock_kind {
	LOCK_STATE,
	LOCK_WATCH,
	LOCK_STOP, /* of those who end who watches: they are not to end each other */
};

/* The file that the locks are on. A descriptor, or -errno. */
MUST_CHECK int lock_open(void);

/* Waits for it. */
MUST_CHECK int lock_take(int fd, enum lock_kind kind);
/* -EAGAIN: another process has it. */
MUST_CHECK int lock_try(int fd, enum lock_kind kind);
void lock_drop(int fd, enum lock_kind kind);

/* Who has it; 0: nobody. */
pid_t lock_owner(int fd, enum lock_kind kind);
