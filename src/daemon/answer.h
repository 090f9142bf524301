/*
 * What the server knows, written down for one asker: totals of every process for
 * everybody, single allocations of one's own processes, all of them for root.
 *
 * Answers are memfds sealed against every change.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct manager;

struct asker {
	pid_t pid;
	uid_t uid;
};

struct question {
	uint32_t flags; /* bits of enum wire_snapshot_flag */
	uint32_t pid;	/* allocations of this process only; 0: of all */
};

/* A snapshot image. -ESRCH: no process of that number is known. */
MUST_CHECK int answer_snapshot(struct manager *manager, const struct asker *asker,
			       const struct question *question, int *ret_fd, uint64_t *ret_length);

/* The same as text for people. */
MUST_CHECK int answer_dump(struct manager *manager, const struct asker *asker, bool kernels,
			   int *ret_fd, uint64_t *ret_length);
