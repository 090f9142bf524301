/*
 * Waits for how a process ended. The kernel tells it (Linux 6.15 and later) to
 * who holds a pidfd, but only once the parent has fetched the exit status too; that may be
 * never, so the wait is bounded in time and number.
 */
#pragma once

#include "daemon/list.h"
#include "daemon/loop.h"

#include <stdint.h>

struct manager;

struct mourner {
	struct manager *manager;
	struct list member;
	struct watch watch; /* the pidfd */
	struct timer timer;
	uint64_t account; /* its serial */
};

/* pidfd is duplicated. The account gets the exit status when it is known. */
void mourner_new(struct manager *manager, int pidfd, uint64_t account);
void mourners_done(struct manager *manager);
