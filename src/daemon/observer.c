#include "daemon/observer.h"

#include "basic/clock.h"
#include "daemon/activity.h"
#include "daemon/device_changes.h"
#include "daemon/process_probe.h"
#include "daemon/table_search.h"
#include "basic/wakeup.h"
#include "source/sampler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

/* Deadlines for one read of a source, and for the search of one process for tables. */
#define READ_DEADLINE	(50 * NS_PER_MS)
#define SEARCH_DEADLINE (200 * NS_PER_MS)

struct observer {
	struct loop *loop;
	const struct root *root;
	const struct observer_ops *ops;
	void *arg;
	struct watch ready; /* eventfd: results are available */
	int wanted;	    /* eventfd: requests were queued, or the thread is to end */
	struct probes *probes;
	pthread_t thread;

	pthread_mutex_t lock; /* protects the members below */
	bool ending, sample, search, searched;
	int search_error;
	struct observed_link *links;
	size_t n_links;
	struct observation *observation;
	struct table_search *tables; /* results of the search */
	struct image_device *cards;  /* when they last showed work; NULL: no news */
	size_t n_cards;

	/* Used by the observer's thread only. */
	struct worker_pool *workers;
	struct sampler *sampler;
	struct activity *activity;
	struct link_check *check; /* a check that blocks; NULL: none */
	struct device_changes changes;
};

/* The sources, in the order of sources[]. */
static const struct source *const used[] = {
	&source_kmd,	&source_holders,   &source_proc, &source_visible,
	&source_traced, &source_metal_shm, &source_dra,	 NULL,
};

/* The fields of devices and processes that answers need. */
static const struct field_ref *const fields =
	FIELDS(DEVICE_FIELD(NAME), DEVICE_FIELD(ARCHITECTURE), DEVICE_FIELD(BOARD),
	       DEVICE_FIELD(SERIAL), DEVICE_FIELD(ASIC_ID), DEVICE_FIELD(BDF), DEVICE_FIELD(TRAY),
	       DEVICE_FIELD(CHIP), DEVICE_FIELD(PCI_DEVICE), DEVICE_FIELD(DRAM_TOTAL),
	       DEVICE_FIELD(L1_TOTAL), DEVICE_FIELD(CLAIM), PROCESS_FIELD(NAME), PROCESS_FIELD(UID),
	       PROCESS_FIELD(START_TIME), PROCESS_FIELD(SLURM_NAME));

void observation_free(struct observation *observation)
{
	if (!observation)
		return;
	snapshot_free(observation->snapshot);
	free(observation->reports);
	free(observation->gone);
	free(observation);
}

/* ---- in the observer's thread ---- */

static void sample_take(struct observer *observer, struct observed_link *links, size_t n_links,
			bool changed)
{
	struct observation *observation = calloc(1, sizeof(*observation)), *before;

	if (!observation) {
		free(links);
		return;
	}
	observation->taken_ns = clock_now(CLOCK_MONOTONIC);
	observation->changed = changed;
	if (changed) {
		device_changes_watch(&observer->changes, observer->root);
		activity_restart(observer->activity);
	}
	observation->error = sampler_collect(observer->sampler, &observation->snapshot,
					     &observation->reports, &observation->n_reports);
	observation->gone = links_check(&observer->check, observer->workers, links, n_links,
					&observation->n_gone);
	pthread_mutex_lock(&observer->lock);
	before = observer->observation;
	if (before)
		observation->changed |= before->changed;
	observer->observation = observation;
	pthread_mutex_unlock(&observer->lock);
	observation_free(before);
	wakeup_send(observer->ready.fd);
}

static void samples_run(struct observer *observer)
{
	struct observed_link *links;
	bool wanted, changed = device_changes_take(&observer->changes);
	size_t n_links;

	pthread_mutex_lock(&observer->lock);
	wanted = observer->sample;
	observer->sample = false;
	links = TAKE_PTR(observer->links);
	n_links = observer->n_links;
	pthread_mutex_unlock(&observer->lock);
	if (wanted || changed)
		sample_take(observer, links, links ? n_links : 0, changed);
	else
		free(links);
}

static void activity_publish(struct observer *observer)
{
	struct image_device *cards = calloc(TABLE_DEVICES, sizeof(*cards));

	if (!cards || !activity_run(observer->activity)) {
		free(cards);
		return;
	}
	pthread_mutex_lock(&observer->lock);
	free(observer->cards);
	observer->cards = cards;
	observer->n_cards = activity_list(observer->activity, cards);
	pthread_mutex_unlock(&observer->lock);
	wakeup_send(observer->ready.fd);
}

static void search_run(struct observer *observer)
{
	struct table_search *found = NULL;
	bool wanted;
	int r;

	pthread_mutex_lock(&observer->lock);
	wanted = observer->search;
	observer->search = false;
	pthread_mutex_unlock(&observer->lock);
	if (!wanted)
		return;
	r = table_search(observer->root, observer->workers, SEARCH_DEADLINE, &found);
	pthread_mutex_lock(&observer->lock);
	observer->tables = found;
	observer->search_error = r;
	observer->searched = true;
	pthread_mutex_unlock(&observer->lock);
	wakeup_send(observer->ready.fd);
}

static bool observer_is_ending(struct observer *observer)
{
	bool ending;

	pthread_mutex_lock(&observer->lock);
	ending = observer->ending;
	pthread_mutex_unlock(&observer->lock);
	return ending;
}

/* Milliseconds; -1: until something is requested. */
static int observer_timeout(const struct observer *observer)
{
	int settled = device_changes_timeout(&observer->changes);
	int counters = activity_timeout(observer->activity);

	return settled < 0 || (counters >= 0 && counters < settled) ? counters : settled;
}

static void observer_wait(struct observer *observer)
{
	struct pollfd fds[] = {
		{ .fd = observer->wanted, .events = POLLIN },
		{ .fd = observer->changes.fd, .events = POLLIN },
	};

	poll(fds, ARRAY_SIZE(fds), observer_timeout(observer));
	if (fds[0].revents)
		wakeup_clear(observer->wanted);
	if (fds[1].revents)
		device_changes_read(&observer->changes);
}

static void *observer_work(void *arg)
{
	struct observer *observer = arg;

	device_changes_watch(&observer->changes, observer->root);
	while (!observer_is_ending(observer)) {
		while (probes_run(observer->probes))
			continue;
		search_run(observer);
		samples_run(observer);
		activity_publish(observer);
		observer_wait(observer);
	}
	return NULL;
}

/* ---- in the loop's thread ---- */

static void hand_over_tables(struct observer *observer)
{
	struct table_search *tables;
	bool searched;

	pthread_mutex_lock(&observer->lock);
	tables = TAKE_PTR(observer->tables);
	searched = observer->searched;
	observer->searched = false;
	pthread_mutex_unlock(&observer->lock);
	for (size_t i = 0; tables && i < tables->count; i++)
		observer->ops->found(observer->arg, &tables->list[i]);
	table_search_free(tables, false);
	if (searched)
		observer->ops->searched(observer->arg, observer->search_error);
}

static void hand_over_activity(struct observer *observer)
{
	CLEANUP_FREE struct image_device *cards = NULL;
	size_t count;

	pthread_mutex_lock(&observer->lock);
	cards = TAKE_PTR(observer->cards);
	count = observer->n_cards;
	pthread_mutex_unlock(&observer->lock);
	if (cards)
		observer->ops->active(observer->arg, cards, count);
}

static void observer_ready(struct watch *watch, uint32_t events)
{
	struct observer *observer = container_of(watch, struct observer, ready);
	struct observation *observation;

	(void)events;
	wakeup_clear(watch->fd);
	probes_hand_over(observer->probes);
	hand_over_tables(observer);
	hand_over_activity(observer);
	pthread_mutex_lock(&observer->lock);
	observation = TAKE_PTR(observer->observation);
	pthread_mutex_unlock(&observer->lock);
	if (observation)
		observer->ops->observed(observer->arg, observation);
}

struct probes *observer_probes(const struct observer *observer)
{
	return observer->probes;
}

void observer_sample(struct observer *observer, const struct observed_link *links, size_t count)
{
	struct observed_link *copy = count ? malloc(count * sizeof(*copy)) : NULL;

	if (copy)
		memcpy(copy, links, count * sizeof(*copy));
	pthread_mutex_lock(&observer->lock);
	observer->sample = true;
	if (copy) {
		free(observer->links);
		observer->links = copy;
		observer->n_links = count;
	}
	pthread_mutex_unlock(&observer->lock);
	wakeup_send(observer->wanted);
}

void observer_search(struct observer *observer)
{
	pthread_mutex_lock(&observer->lock);
	observer->search = true;
	pthread_mutex_unlock(&observer->lock);
	wakeup_send(observer->wanted);
}

static int observer_open(struct observer *observer)
{
	struct want want = { 0 };
	int fd, r;

	want_add_list(&want, fields);
	r = worker_pool_new(&observer->workers);
	if (r >= 0)
		r = sampler_new(observer->root, &want, used, &observer->sampler);
	if (r >= 0)
		r = activity_new(observer->root, &observer->activity);
	if (r >= 0)
		r = device_changes_init(&observer->changes);
	if (r < 0)
		return r;
	sampler_set_deadline(observer->sampler, READ_DEADLINE);
	observer->wanted = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (observer->wanted < 0 || fd < 0)
		r = -errno;
	if (r >= 0)
		r = watch_start(observer->loop, &observer->ready, fd, EPOLLIN);
	if (r < 0 && fd >= 0)
		close(fd);
	if (r >= 0)
		r = probes_new(observer->workers, observer->wanted, fd, &observer->probes);
	return r;
}

/* A blocked job may still use its memory, which is freed by process exit. */
static void observer_destroy(struct observer *observer)
{
	bool blocked = observer->workers && worker_pool_is_blocked(observer->workers);
	int ready = observer->ready.fd;

	watch_stop(observer->loop, &observer->ready);
	if (ready >= 0)
		close(ready);
	if (observer->wanted >= 0)
		close(observer->wanted);
	observer->probes = probes_free(observer->probes);
	device_changes_done(&observer->changes);
	table_search_free(observer->tables, true);
	observation_free(observer->observation);
	free(observer->links);
	free(observer->cards);
	activity_free(observer->activity);
	sampler_free(observer->sampler);
	worker_pool_free(observer->workers);
	if (blocked)
		return;
	link_check_free(observer->check);
	pthread_mutex_destroy(&observer->lock);
	free(observer);
}

int observer_new(struct loop *loop, const struct root *root, const struct observer_ops *ops,
		 void *arg, struct observer **ret)
{
	struct observer *observer = calloc(1, sizeof(*observer));
	int r;

	if (!observer)
		return -ENOMEM;
	*observer = (struct observer){
		.loop = loop,
		.root = root,
		.ops = ops,
		.arg = arg,
		.ready = { .fd = -1, .ready = observer_ready },
		.wanted = -1,
		.changes.fd = -1,
	};
	pthread_mutex_init(&observer->lock, NULL);
	r = observer_open(observer);
	if (r >= 0)
		r = -pthread_create(&observer->thread, NULL, observer_work, observer);
	if (r < 0) {
		observer_destroy(observer);
		return r;
	}
	*ret = observer;
	return 0;
}

struct observer *observer_free(struct observer *observer)
{
	if (!observer)
		return NULL;
	pthread_mutex_lock(&observer->lock);
	observer->ending = true;
	pthread_mutex_unlock(&observer->lock);
	wakeup_send(observer->wanted);
	pthread_join(observer->thread, NULL);
	observer_destroy(observer);
	return NULL;
}
