/*
 * What the server knows, written down for one asker: totals of every process for
 * everybody, single allocations of the asker's own processes, all of them for root.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct manager;
struct reply;
struct user;

struct asker {
	pid_t pid;
	uid_t uid;
	struct user *user;
};

struct question {
	uint32_t flags;	  /* bits of enum wire_snapshot_flag */
	uint32_t pid;	  /* allocations of this process only; 0: of all */
	int64_t since_ns; /* CLOCK_MONOTONIC: an answer made since then will do */
};

/*
 * A snapshot image; one that was made for an equal question is used again. It belongs to no
 * user yet. -ESRCH: no process of that number is known. -EAGAIN: the user has too
 * much pending.
 */
MUST_CHECK int answer_snapshot(struct manager *manager, const struct asker *asker,
			       const struct question *question, struct reply **ret);

/* The same as text for people. */
MUST_CHECK int answer_dump(struct manager *manager, const struct asker *asker, bool kernels,
			   struct reply **ret);
