#include "daemon/reporter.h"

#include "daemon/user_log.h"

#include <errno.h>
#include <unistd.h>

void reporters_init(struct reporters *reporters, struct loop *loop, struct users *users,
		    struct accounts *accounts, struct exit_watches *exit_watches)
{
	*reporters = (struct reporters){
		.loop = loop,
		.users = users,
		.accounts = accounts,
		.exit_watches = exit_watches,
	};
	list_init(&reporters->list);
}

void reporters_done(struct reporters *reporters)
{
	for (LIST_EACH(at, &reporters->list)) {
		struct reporter *reporter = reporter_of(at);

		reporter->ops->free(reporter);
	}
}

static void reporter_ended(struct watch *watch, uint32_t events)
{
	struct reporter *reporter = container_of(watch, struct reporter, pidfd_watch);

	(void)events;
	reporter->ops->ended(reporter);
}

int reporter_init(struct reporter *reporter, const struct reporter_ops *ops,
		  struct reporters *reporters, const struct peer *peer)
{
	*reporter = (struct reporter){
		.ops = ops,
		.all = reporters,
		.peer = *peer,
		.user = users_get(reporters->users, peer->uid),
		.pidfd_watch = { .fd = -1, .ready = reporter_ended },
	};
	list_init(&reporter->member);
	return reporter->user ? 0 : -ENOMEM;
}

/*
 * Updates the "better" count of this process's other reporters when one is added (1) or removed
 * (-1).
 */
static void ranks_update(struct reporter *reporter, int change)
{
	for (LIST_EACH(at, &reporter->all->list)) {
		struct reporter *other = reporter_of(at);

		if (other == reporter || !peer_is(&other->peer, &reporter->peer))
			continue;
		if (other->rank < reporter->rank)
			other->better += (uint32_t)change;
		else if (other->rank > reporter->rank)
			reporter->better += (uint32_t)change;
	}
}

void reporter_list(struct reporter *reporter, enum reporter_rank rank)
{
	reporter->rank = rank;
	reporter->better = 0;
	list_append(&reporter->all->list, &reporter->member);
	ranks_update(reporter, 1);
}

int reporter_watch(struct reporter *reporter, int pidfd)
{
	return watch_start(reporter->all->loop, &reporter->pidfd_watch, pidfd, EPOLLIN);
}

int reporter_start(struct reporter *reporter, enum reporter_rank rank, int pidfd)
{
	int r = reporter_watch(reporter, pidfd);

	if (r >= 0)
		reporter_list(reporter, rank);
	return r;
}

void reporter_done(struct reporter *reporter)
{
	bool listed = reporter->member.next != &reporter->member;
	int pidfd = reporter->pidfd_watch.fd;

	if (listed)
		ranks_update(reporter, -1);
	list_remove(&reporter->member);
	watch_stop(reporter->all->loop, &reporter->pidfd_watch);
	if (pidfd >= 0)
		close(pidfd);
	reporter->user = user_unref(reporter->user);
}

void reporter_describe(const struct reporter *reporter, struct image_process *ret)
{
	peer_record(&reporter->peer, reporter->ops->origin, ret);
	reporter->ops->describe(reporter, ret);
}

void reporter_account(struct reporter *reporter)
{
	struct reporters *all = reporter->all;
	struct image_process record;
	uint32_t count;

	reporter_describe(reporter, &record);
	count = reporter->ops->usages(reporter, all->usages, &record.flags);
	log_user(reporter->user, LOG_PROGRAMS, "%s of %s, pid %u, uid %u: ended",
		 reporter->ops->kind, record.name, record.pid, record.uid);
	exit_watch_new(all->exit_watches, reporter->pidfd_watch.fd,
		       accounts_add(all->accounts, &record, all->usages, count));
}

struct reporter *reporter_find(struct reporters *reporters, const struct reporter_ops *ops,
			       const struct peer *peer)
{
	for (LIST_EACH(at, &reporters->list)) {
		struct reporter *reporter = reporter_of(at);

		if (reporter->ops == ops && peer_is(&reporter->peer, peer))
			return reporter;
	}
	return NULL;
}
