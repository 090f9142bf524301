#include "daemon/reporter.h"

#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/exit_watch.h"

#include <errno.h>
#include <string.h>

static void reporter_ended(struct watch *watch, uint32_t events)
{
	struct reporter *reporter = container_of(watch, struct reporter, life);

	(void)events;
	reporter->ops->ended(reporter);
}

int reporter_init(struct reporter *reporter, const struct reporter_ops *ops,
		  struct manager *manager, const struct peer *peer)
{
	*reporter = (struct reporter){
		.ops = ops,
		.manager = manager,
		.peer = *peer,
		.user = users_get(&manager->users, peer->uid),
		.life = { .fd = -1, .ready = reporter_ended },
	};
	list_init(&reporter->member);
	return reporter->user ? 0 : -ENOMEM;
}

int reporter_start(struct reporter *reporter, int pidfd)
{
	int r = watch_start(&reporter->manager->loop, &reporter->life, pidfd, EPOLLIN);

	if (r >= 0)
		list_append(&reporter->manager->reporters, &reporter->member);
	return r;
}

void reporter_done(struct reporter *reporter)
{
	int pidfd = reporter->life.fd;

	list_remove(&reporter->member);
	watch_stop(&reporter->manager->loop, &reporter->life);
	if (pidfd >= 0)
		close(pidfd);
	reporter->user = user_unref(reporter->user);
}

void reporter_describe(const struct reporter *reporter, struct image_process *ret)
{
	const struct peer *peer = &reporter->peer;

	*ret = (struct image_process){
		.pid = (uint32_t)peer->pid,
		.uid = peer->uid,
		.start_ticks = peer->start_ticks,
		.start_ns = peer->start_ns,
		.origin = reporter->ops->origin,
	};
	memcpy(ret->name, peer->name, sizeof(ret->name));
	reporter->ops->describe(reporter, ret);
}

void reporter_account(struct reporter *reporter)
{
	struct manager *manager = reporter->manager;
	struct image_process record;
	uint32_t count;

	reporter_describe(reporter, &record);
	count = reporter->ops->usages(reporter, manager->usages, &record.flags);
	log_user(reporter->user, LOG_PROGRAMS, "%s of %s, pid %u, uid %u: ended",
		 reporter->ops->kind, record.name, record.pid, record.uid);
	exit_watch_new(manager, reporter->life.fd,
		       accounts_add(&manager->accounts, &record, manager->usages, count));
}

struct reporter *reporter_find(struct manager *manager, const struct reporter_ops *ops,
			       const struct peer *peer)
{
	for (LIST_EACH(at, &manager->reporters)) {
		struct reporter *reporter = container_of(at, struct reporter, member);

		if (reporter->ops == ops && peer_is(&reporter->peer, peer))
			return reporter;
	}
	return NULL;
}
