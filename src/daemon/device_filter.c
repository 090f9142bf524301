#include "daemon/device_filter.h"

#include "basic/clock.h"
#include "basic/crew.h"
#include "daemon/loop.h"
#include "source/visible.h"

#include <stdlib.h>

/* The server's other clients wait as long, so it is short. */
static const int64_t patience_ns = 50 * NS_PER_MS;

/* Jobs of one user that do not come back. With more, its further processes go without. */
enum { BLOCKED_MAX = 2 };

struct device_filter {
	struct list member;
	struct peer peer;
	unsigned users;	   /* 0: kept only until its job ends */
	struct crew *crew; /* while the job runs */
	struct job job;
	struct visible_view view; /* the job's, while it runs */
};

static const struct visible_devices unreadable = { .status = VISIBLE_UNREADABLE };

int device_filters_init(struct device_filters *filters)
{
	list_init(&filters->list);
	filters->machine.fd = -1;
	return root_init(&filters->machine, NULL);
}

static void filter_free(struct device_filter *filter)
{
	list_remove(&filter->member);
	free(filter);
}

/* Is the job over? Then its thread is ended too. */
static bool filter_is_read(struct device_filter *filter)
{
	if (filter->crew && !crew_job_is_busy(filter->crew, &filter->job))
		filter->crew = crew_free(filter->crew);
	return !filter->crew;
}

void device_filters_done(struct device_filters *filters)
{
	for (LIST_EACH(at, &filters->list)) {
		struct device_filter *filter = container_of(at, struct device_filter, member);

		if (!filter_is_read(filter))
			return; /* the server ends; what a job still uses is left to it */
		filter_free(filter);
	}
	root_done(&filters->machine);
}

/* Frees those that only their jobs kept, and counts the jobs of a user that still run. */
static unsigned filters_sweep(struct device_filters *filters, uid_t uid)
{
	unsigned blocked = 0;

	for (LIST_EACH(at, &filters->list)) {
		struct device_filter *filter = container_of(at, struct device_filter, member);

		if (!filter_is_read(filter))
			blocked += filter->peer.uid == uid;
		else if (!filter->users)
			filter_free(filter);
	}
	return blocked;
}

static void filter_read(struct device_filter *filter)
{
	struct job *job = &filter->job;

	if (crew_new(&filter->crew) < 0)
		return;
	*job = (struct job){ .run = visible_view_read, .arg = &filter->view };
	crew_run(filter->crew, &job, 1, patience_ns);
	filter_is_read(filter);
}

struct device_filter *device_filter_get(struct device_filters *filters, const struct peer *peer)
{
	struct device_filter *filter;
	unsigned blocked;

	for (LIST_EACH(at, &filters->list)) {
		filter = container_of(at, struct device_filter, member);
		if (peer_is(&filter->peer, peer)) {
			filter->users++;
			return filter;
		}
	}
	blocked = filters_sweep(filters, peer->uid);
	filter = calloc(1, sizeof(*filter));
	if (!filter)
		return NULL;
	filter->users = 1;
	filter->peer = *peer;
	filter->view.root = &filters->machine;
	filter->view.pid = peer->pid;
	filter->view.visible = unreadable;
	list_append(&filters->list, &filter->member);
	if (blocked < BLOCKED_MAX)
		filter_read(filter);
	return filter;
}

struct device_filter *device_filter_put(struct device_filter *filter)
{
	if (filter && --filter->users == 0 && filter_is_read(filter))
		filter_free(filter);
	return NULL;
}

const struct visible_devices *device_filter_visible(struct device_filter *filter,
						    enum visible_meaning *ret_meaning)
{
	if (!filter || !filter_is_read(filter))
		return &unreadable;
	*ret_meaning = filter->view.meaning;
	return &filter->view.visible;
}
