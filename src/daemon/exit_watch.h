/*
 * Waits for the exit status of a process. The kernel (Linux 6.15 and later) tells it to a process
 * that holds a pidfd, but only once the parent has fetched the exit status too; that may be
 * never, so the wait is bounded in time and number.
 */
#pragma once

#include "daemon/list.h"
#include "daemon/loop.h"

#include <stdint.h>

struct manager;

struct exit_watch {
	struct manager *manager;
	struct list member;
	struct watch watch; /* the pidfd */
	struct timer timer;
	uint64_t account; /* its serial */
};

/* pidfd is duplicated. The account gets the exit status when it is known. */
void exit_watch_new(struct manager *manager, int pidfd, uint64_t account);
void exit_watches_done(struct manager *manager);
