#include "daemon/exit_watch.h"

#include "basic/clock.h"
#include "daemon/peer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXIT_WATCHES_MAX = 1024 };
#define EXIT_WAIT (10 * NS_PER_S)

void exit_watches_init(struct exit_watches *watches, struct loop *loop, struct accounts *accounts)
{
	*watches = (struct exit_watches){ .loop = loop, .accounts = accounts };
	list_init(&watches->list);
}

static void exit_watch_free(struct exit_watch *exit_watch)
{
	struct exit_watches *watches = exit_watch->all;
	int fd = exit_watch->watch.fd;

	watch_stop(watches->loop, &exit_watch->watch);
	timer_stop(watches->loop, &exit_watch->timer);
	list_remove(&exit_watch->member);
	watches->count--;
	close(fd);
	free(exit_watch);
}

void exit_watches_done(struct exit_watches *watches)
{
	for (LIST_EACH(at, &watches->list))
		exit_watch_free(container_of(at, struct exit_watch, member));
}

/* Stores the exit status. Returns whether there is nothing left to wait for. */
static bool account_set_exit(struct accounts *accounts, uint64_t serial, int pidfd)
{
	struct accounts_entry *account = accounts_find(accounts, serial);
	int status;

	if (!account)
		return true;
	if (!pidfd_exit_status(pidfd, &status))
		return false;
	account->process.exit_status = status;
	account->process.flags |= IMAGE_EXIT_KNOWN;
	return true;
}

static void exit_watch_ready(struct watch *watch, uint32_t events)
{
	struct exit_watch *exit_watch = container_of(watch, struct exit_watch, watch);

	if (account_set_exit(exit_watch->all->accounts, exit_watch->account, watch->fd) ||
	    events & EPOLLHUP)
		exit_watch_free(exit_watch);
}

static void exit_watch_give_up(struct timer *timer)
{
	exit_watch_free(container_of(timer, struct exit_watch, timer));
}

void exit_watch_new(struct exit_watches *watches, int pidfd, uint64_t account)
{
	struct exit_watch *exit_watch;
	int fd;

	if (!account || account_set_exit(watches->accounts, account, pidfd) ||
	    watches->count >= EXIT_WATCHES_MAX)
		return;
	exit_watch = calloc(1, sizeof(*exit_watch));
	fd = fcntl(pidfd, F_DUPFD_CLOEXEC, 0);
	if (!exit_watch || fd < 0)
		goto fail;
	*exit_watch = (struct exit_watch){
		.all = watches,
		.watch = { .fd = -1, .ready = exit_watch_ready },
		.timer.expired = exit_watch_give_up,
		.account = account,
	};
	/* Edge-triggered: the pidfd is readable already; only EPOLLHUP matters. */
	if (watch_start(watches->loop, &exit_watch->watch, fd, EPOLLIN | EPOLLET) < 0)
		goto fail;
	timer_set(watches->loop, &exit_watch->timer, EXIT_WAIT);
	list_append(&watches->list, &exit_watch->member);
	watches->count++;
	return;
fail:
	if (fd >= 0)
		close(fd);
	free(exit_watch);
}
