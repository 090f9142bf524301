/*
 * Tracks the roles of processes over time, for a program that reports them: each is judged when it
 * appears, and again when it changes.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/macros.h"
#include "model/role.h"

#include <stddef.h>
#include <stdint.h>

#define ROLE_COMM 17

struct role_subject {
	int32_t pid;
	uint64_t start_ticks;
	char comm[ROLE_COMM];
};

struct role_watch;

/* For processes of this machine. */
MUST_CHECK int role_watch_new(struct role_watch **ret);

/*
 * Examines these processes, which are sorted by pid, and calls report() for each: with its role if
 * it has the name of a monitor and could be examined completely, else, and if it is no longer in
 * the list, with ROLE_NOT_REPORTED. report() returns 1 if this is new, 0 if not, or -errno. A
 * process with a new role is examined once more, and report() called again if the role has changed:
 * it may have executed another program in between.
 */
MUST_CHECK int
role_watch_run(struct role_watch *watch, struct worker_pool *workers, int64_t deadline_ns,
	       const struct role_subject *subjects, size_t count,
	       int (*report)(const struct role_subject *subject, enum role_report role, void *arg),
	       void *arg);

/* To be called when no job of the worker pool is busy. Takes NULL, returns NULL. */
struct role_watch *role_watch_free(struct role_watch *watch, struct worker_pool *workers);
