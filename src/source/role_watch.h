/*
 * Roles of processes that are followed over time, for a program that tells them to others:
 * each is judged when it comes, and again when something in it changes.
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

/* Of processes of this machine. */
MUST_CHECK int role_watch_new(struct role_watch **ret);

/*
 * Looks at these processes, by pid, and calls tell() for each with the name of a monitor that
 * was looked at completely, and with ROLE_TOLD_NOTHING for others and for those that are not
 * in the list any more. tell() returns 1 if this was not known, 0 if it was, or -errno. What
 * was new is looked at once more, and told again if it is otherwise: a process may have
 * executed another program after the look, and before it was told.
 */
MUST_CHECK int
role_watch_run(struct role_watch *watch, struct worker_pool *workers, int64_t deadline_ns,
	       const struct role_subject *subjects, size_t count,
	       int (*tell)(const struct role_subject *subject, enum role_told role, void *arg),
	       void *arg);

/* When no job of the worker pool is busy. Takes NULL, returns NULL. */
struct role_watch *role_watch_free(struct role_watch *watch, struct worker_pool *workers);
