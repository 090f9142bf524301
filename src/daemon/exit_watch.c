#include "daemon/exit_watch.h"

#include "basic/clock.h"
#include "daemon/manager.h"
#include "daemon/peer.h"

#include <fcntl.h>

enum { EXIT_WATCHES_MAX = 1024 };
#define EXIT_WAIT (10 * NS_PER_S)

static void exit_watch_free(struct exit_watch *exit_watch)
{
	int fd = exit_watch->watch.fd;

	watch_stop(&exit_watch->manager->loop, &exit_watch->watch);
	timer_stop(&exit_watch->manager->loop, &exit_watch->timer);
	list_remove(&exit_watch->member);
	exit_watch->manager->n_exit_watches--;
	close(fd);
	free(exit_watch);
}

static bool account_settle(struct manager *manager, uint64_t serial, int pidfd)
{
	struct accounts_entry *account = accounts_find(&manager->accounts, serial);
	int status;

	if (!account)
		return true;
	if (!pidfd_exit_status(pidfd, &status))
		return false;
	account->process.exit_status = status;
	account->process.flags |= IMAGE_EXIT_KNOWN;
	return true;
}

static void exit_watch_look(struct watch *watch, uint32_t events)
{
	struct exit_watch *exit_watch = container_of(watch, struct exit_watch, watch);

	if (account_settle(exit_watch->manager, exit_watch->account, watch->fd) ||
	    events & EPOLLHUP)
		exit_watch_free(exit_watch);
}

static void exit_watch_give_up(struct timer *timer)
{
	exit_watch_free(container_of(timer, struct exit_watch, timer));
}

void exit_watch_new(struct manager *manager, int pidfd, uint64_t account)
{
	struct exit_watch *exit_watch;
	int fd;

	if (!account || account_settle(manager, account, pidfd) ||
	    manager->n_exit_watches >= EXIT_WATCHES_MAX)
		return;
	exit_watch = calloc(1, sizeof(*exit_watch));
	fd = fcntl(pidfd, F_DUPFD_CLOEXEC, 0);
	if (!exit_watch || fd < 0)
		goto fail;
	*exit_watch = (struct exit_watch){
		.manager = manager,
		.watch = { .fd = -1, .ready = exit_watch_look },
		.timer.expired = exit_watch_give_up,
		.account = account,
	};
	/* By edges: the end of the process is known, only what comes after it matters. */
	if (watch_start(&manager->loop, &exit_watch->watch, fd, EPOLLIN | EPOLLET) < 0)
		goto fail;
	timer_set(&manager->loop, &exit_watch->timer, EXIT_WAIT);
	list_append(&manager->exit_watches, &exit_watch->member);
	manager->n_exit_watches++;
	return;
fail:
	if (fd >= 0)
		close(fd);
	free(exit_watch);
}

void exit_watches_done(struct manager *manager)
{
	for (LIST_EACH(at, &manager->exit_watches))
		exit_watch_free(container_of(at, struct exit_watch, member));
}
