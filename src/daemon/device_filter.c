#include "daemon/device_filter.h"

#include "basic/clock.h"

#include <errno.h>
#include <stdlib.h>

/* A process that could not be read is probed again on a request after this time. */
#define PROBE_AGAIN (1 * NS_PER_S)

struct device_filter {
	struct list member;
	struct peer peer;
	unsigned users;
	struct device_filters *filters;
	struct probe probe;
	bool unknown;	     /* it could not be read in time */
	int64_t asked_ns;    /* CLOCK_MONOTONIC, when the last probe began */
	struct list waiting; /* struct filter_wait */
	struct visible_devices visible;
	enum visible_meaning meaning;
};

static const struct visible_devices unreadable = { .status = VISIBLE_UNREADABLE };

void device_filters_init(struct device_filters *filters, struct probes *probes)
{
	list_init(&filters->list);
	filters->probes = probes;
}

static void filter_free(struct device_filter *filter)
{
	probe_stop(&filter->probe);
	list_remove(&filter->member);
	free(filter);
}

void device_filters_done(struct device_filters *filters)
{
	if (!filters->probes)
		return;
	for (LIST_EACH(at, &filters->list))
		filter_free(container_of(at, struct device_filter, member));
}

void filter_wait_stop(struct filter_wait *wait)
{
	if (wait->waiting)
		list_remove(&wait->member);
	wait->waiting = false;
}

static void filter_read(struct probe *probe, const struct probe_result *result)
{
	struct device_filter *filter = container_of(probe, struct device_filter, probe);

	filter->unknown = result->error == -ETIMEDOUT;
	if (!filter->unknown) {
		filter->visible = result->view.visible;
		filter->meaning = result->view.meaning;
	}
	filter->users++; /* a callback may release it */
	while (filter->waiting.next != &filter->waiting) {
		struct filter_wait *wait =
			container_of(filter->waiting.next, struct filter_wait, member);

		filter_wait_stop(wait);
		wait->done(wait);
	}
	device_filter_put(filter);
}

/* If memory is short it stays unknown, and is probed again later. */
static void filter_probe(struct device_filter *filter)
{
	filter->asked_ns = clock_now(CLOCK_MONOTONIC);
	filter->unknown = probe_start(&filter->probe, filter->filters->probes, PROBE_VISIBLE,
				      filter->peer.pid, filter->peer.uid, -1) < 0;
}

struct device_filter *device_filter_get(struct device_filters *filters, const struct peer *peer)
{
	struct device_filter *filter;

	for (LIST_EACH(at, &filters->list)) {
		filter = container_of(at, struct device_filter, member);
		if (peer_is(&filter->peer, peer)) {
			filter->users++;
			return filter;
		}
	}
	filter = calloc(1, sizeof(*filter));
	if (!filter)
		return NULL;
	filter->users = 1;
	filter->peer = *peer;
	filter->visible = unreadable;
	filter->probe.done = filter_read;
	list_init(&filter->waiting);
	list_append(&filters->list, &filter->member);
	filter->filters = filters;
	filter_probe(filter);
	return filter;
}

struct device_filter *device_filter_put(struct device_filter *filter)
{
	if (filter && --filter->users == 0)
		filter_free(filter);
	return NULL;
}

bool device_filter_wait(struct device_filter *filter, struct filter_wait *wait)
{
	if (!filter || !filter->probe.probes)
		return false;
	wait->waiting = true;
	list_append(&filter->waiting, &wait->member);
	return true;
}

const struct visible_devices *device_filter_visible(struct device_filter *filter,
						    enum visible_meaning *ret_meaning)
{
	if (!filter)
		return &unreadable;
	if (filter->unknown && clock_now(CLOCK_MONOTONIC) - filter->asked_ns > PROBE_AGAIN)
		filter_probe(filter);
	*ret_meaning = filter->meaning;
	return &filter->visible;
}
