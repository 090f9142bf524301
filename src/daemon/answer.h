/*
 * Snapshots for clients: the totals of every process for all users, single allocations only of the
 * requester's own processes, or of all processes for root.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct accounts;
struct cards;
struct reply;
struct replies;
struct reporters;
struct user;

/* The parts of the server that answers are made from, and the answers that are being sent. */
struct answers {
	struct reporters *reporters;
	struct accounts *accounts;
	struct cards *cards;
	struct replies *replies;
	int64_t server_start_ns; /* CLOCK_REALTIME */
};

struct requester {
	pid_t pid;
	uid_t uid;
	struct user *user;
};

struct snapshot_request {
	uint32_t flags;	  /* bits of enum wire_snapshot_flag */
	uint32_t pid;	  /* list allocations of this process only; 0: of all */
	int64_t since_ns; /* CLOCK_MONOTONIC: an answer made since then may be reused */
};

/*
 * Makes a snapshot image, or reuses one made for an equal request. It is not charged to a user yet.
 * -ESRCH: no process with that pid is known. -EAGAIN: the user has too many unread answers.
 */
MUST_CHECK int answer_snapshot(struct answers *answers, const struct requester *requester,
			       const struct snapshot_request *request, struct reply **ret);

/* The same as text for people. */
MUST_CHECK int answer_dump(struct answers *answers, const struct requester *requester, bool kernels,
			   struct reply **ret);
