#include "daemon/mourner.h"

#include "basic/clock.h"
#include "daemon/manager.h"
#include "daemon/peer.h"

#include <fcntl.h>

enum { MOURNERS_MAX = 1024 };
#define MOURNING (10 * NS_PER_S)

static void mourner_free(struct mourner *mourner)
{
	int fd = mourner->watch.fd;

	watch_stop(&mourner->manager->loop, &mourner->watch);
	timer_stop(&mourner->manager->loop, &mourner->timer);
	list_remove(&mourner->member);
	mourner->manager->n_mourners--;
	close(fd);
	free(mourner);
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

static void mourner_look(struct watch *watch, uint32_t events)
{
	struct mourner *mourner = container_of(watch, struct mourner, watch);

	if (account_settle(mourner->manager, mourner->account, watch->fd) || events & EPOLLHUP)
		mourner_free(mourner);
}

static void mourner_give_up(struct timer *timer)
{
	mourner_free(container_of(timer, struct mourner, timer));
}

void mourner_new(struct manager *manager, int pidfd, uint64_t account)
{
	struct mourner *mourner;
	int fd;

	if (!account || account_settle(manager, account, pidfd) ||
	    manager->n_mourners >= MOURNERS_MAX)
		return;
	mourner = calloc(1, sizeof(*mourner));
	fd = fcntl(pidfd, F_DUPFD_CLOEXEC, 0);
	if (!mourner || fd < 0)
		goto fail;
	*mourner = (struct mourner){
		.manager = manager,
		.watch = { .fd = -1, .ready = mourner_look },
		.timer.expired = mourner_give_up,
		.account = account,
	};
	/* By edges: the end of the process is known, only what comes after it matters. */
	if (watch_start(&manager->loop, &mourner->watch, fd, EPOLLIN | EPOLLET) < 0)
		goto fail;
	timer_set(&manager->loop, &mourner->timer, MOURNING);
	list_append(&manager->mourners, &mourner->member);
	manager->n_mourners++;
	return;
fail:
	if (fd >= 0)
		close(fd);
	free(mourner);
}

void mourners_done(struct manager *manager)
{
	for (LIST_EACH(at, &manager->mourners))
		mourner_free(container_of(at, struct mourner, member));
}
