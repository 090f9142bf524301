/*
 * Waits for the exit status of a process. The kernel (Linux 6.15 and later) returns it to the
 * holder of a pidfd, but only after the parent has reaped the process, which may never happen. So
 * the wait is bounded in time and number.
 */
#pragma once

#include "daemon/account.h"
#include "daemon/list.h"
#include "daemon/loop.h"

#include <stdint.h>

struct exit_watches {
	struct loop *loop;
	struct accounts *accounts;
	struct list list; /* struct exit_watch */
	uint32_t count;
};

struct exit_watch {
	struct exit_watches *all;
	struct list member;
	struct watch watch; /* the pidfd */
	struct timer timer;
	uint64_t account; /* its serial */
};

void exit_watches_init(struct exit_watches *watches, struct loop *loop, struct accounts *accounts);
void exit_watches_done(struct exit_watches *watches);

/* pidfd is duplicated. The exit status is added to the account when it is known. */
void exit_watch_new(struct exit_watches *watches, int pidfd, uint64_t account);
