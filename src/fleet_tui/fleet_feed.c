#include "fleet_tui/fleet_feed.h"

#include "basic/background_thread.h"
#include "basic/clock.h"
#include "basic/wakeup.h"
#include "fleet/chips_load.h"
#include "fleet/fleet_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The machines of a page. */
struct wanted_page {
	char **instances;
	size_t count;
};

struct fleet_feed {
	struct http_client *client;
	const struct fleet_filter *filter;

	struct background_thread thread; /* its lock is never held across a request */
	/* Under the lock: */
	unsigned period_ms;
	bool new_page;
	struct wanted_page page;
	struct fleet_news news;
};

static void wanted_done(struct wanted_page *page)
{
	for (size_t i = 0; i < page->count; i++)
		free(page->instances[i]);
	free(page->instances);
	*page = (struct wanted_page){ 0 };
}

/* Without memory, the machines up to there. */
static void wanted_copy(struct wanted_page *to, const char *const *instances, size_t count)
{
	*to = (struct wanted_page){ .instances = calloc(count + 1, sizeof(*to->instances)) };
	while (to->instances && to->count < count) {
		to->instances[to->count] = strdup(instances[to->count]);
		if (!to->instances[to->count])
			return;
		to->count++;
	}
}

static bool wanted_is(const struct wanted_page *page, const char *const *instances, size_t count)
{
	for (size_t i = 0; i < MIN(count, page->count); i++)
		if (strcmp(page->instances[i], instances[i]) != 0)
			return false;
	return count == page->count;
}

/* Called with the lock held. */
static void publish(struct fleet_feed *feed, int code, const struct buf *error)
{
	if (code)
		snprintf(feed->news.error, sizeof(feed->news.error), "%s", buf_text(error));
	else
		feed->news.error[0] = '\0';
	if (!code)
		feed->news.answered_ns = clock_now(CLOCK_MONOTONIC);
	wakeup_send(feed->thread.fd);
}

static int load_fleet(struct fleet_feed *feed)
{
	CLEANUP_BUF struct buf error = { 0 };
	struct fleet fleet = { 0 };
	int code = fleet_load(feed->client, feed->filter, &fleet, &error);

	pthread_mutex_lock(&feed->thread.lock);
	if (code == 0) {
		if (feed->news.has_fleet)
			fleet_done(&feed->news.fleet);
		feed->news.fleet = fleet;
		feed->news.has_fleet = true;
	}
	publish(feed, code, &error);
	pthread_mutex_unlock(&feed->thread.lock);
	return code;
}

static int load_page(struct fleet_feed *feed, const struct wanted_page *wanted)
{
	CLEANUP_BUF struct buf error = { 0 };
	struct chip_page page = { 0 };
	int code = chips_load(feed->client, feed->filter->matchers, wanted->instances,
			      wanted->count, &page, &error);

	pthread_mutex_lock(&feed->thread.lock);
	if (code == 0) {
		if (feed->news.has_page)
			chip_page_done(&feed->news.page);
		feed->news.page = page;
		feed->news.has_page = true;
	}
	publish(feed, code, &error);
	pthread_mutex_unlock(&feed->thread.lock);
	return code;
}

/* Waits until there is something to query. False: the thread must end. */
static bool wait_for_work(struct fleet_feed *feed, int64_t asked_ns, bool *ret_tick,
			  struct wanted_page *ret_page)
{
	bool go;

	pthread_mutex_lock(&feed->thread.lock);
	for (;;) {
		int64_t tick_ns = asked_ns + (int64_t)feed->period_ms * NS_PER_MS;

		*ret_tick = !asked_ns || clock_now(CLOCK_MONOTONIC) >= tick_ns;
		if (feed->thread.stop || feed->new_page || *ret_tick)
			break;
		background_thread_wait(&feed->thread, tick_ns);
	}
	feed->new_page = false;
	wanted_copy(ret_page, (const char *const *)feed->page.instances, feed->page.count);
	go = !feed->thread.stop;
	pthread_mutex_unlock(&feed->thread.lock);
	return go;
}

static void run(void *arg)
{
	struct fleet_feed *feed = arg;
	struct wanted_page page = { 0 };
	int64_t asked_ns = 0;
	bool tick;

	while (wait_for_work(feed, asked_ns, &tick, &page)) {
		int code = 0;

		if (page.count) /* the one that a key has requested comes first */
			code = load_page(feed, &page);
		if (tick && code == 0)
			load_fleet(feed);
		if (tick)
			asked_ns = clock_now(CLOCK_MONOTONIC);
		wanted_done(&page);
	}
	wanted_done(&page);
}

static void release(struct fleet_feed *feed)
{
	if (feed->news.has_fleet)
		fleet_done(&feed->news.fleet);
	if (feed->news.has_page)
		chip_page_done(&feed->news.page);
	wanted_done(&feed->page);
	background_thread_done(&feed->thread);
	free(feed);
}

int fleet_feed_new(struct http_client *client, const struct fleet_filter *filter,
		   unsigned period_ms, struct fleet_feed **ret)
{
	struct fleet_feed *feed = calloc(1, sizeof(*feed));
	int r;

	if (!feed)
		return -ENOMEM;
	feed->client = client;
	feed->filter = filter;
	feed->period_ms = period_ms;
	r = background_thread_start(&feed->thread, run, feed);
	if (r < 0)
		free(feed);
	else
		*ret = feed;
	return r;
}

bool fleet_feed_free(struct fleet_feed *feed)
{
	background_thread_stop(&feed->thread);
	http_client_cancel(feed->client);
	if (!background_thread_end(&feed->thread, NS_PER_S))
		return false;
	release(feed);
	return true;
}

int fleet_feed_fd(const struct fleet_feed *feed)
{
	return feed->thread.fd;
}

void fleet_feed_take(struct fleet_feed *feed, struct fleet_news *ret)
{
	wakeup_clear(feed->thread.fd);
	pthread_mutex_lock(&feed->thread.lock);
	*ret = feed->news;
	feed->news.has_fleet = feed->news.has_page = false;
	pthread_mutex_unlock(&feed->thread.lock);
}

void fleet_feed_set_page(struct fleet_feed *feed, const char *const *instances, size_t count)
{
	pthread_mutex_lock(&feed->thread.lock);
	if (!wanted_is(&feed->page, instances, count)) {
		wanted_done(&feed->page);
		wanted_copy(&feed->page, instances, count);
		feed->new_page = true;
		pthread_cond_signal(&feed->thread.changed);
	}
	pthread_mutex_unlock(&feed->thread.lock);
}

void fleet_feed_set_period(struct fleet_feed *feed, unsigned period_ms)
{
	pthread_mutex_lock(&feed->thread.lock);
	feed->period_ms = period_ms;
	pthread_cond_signal(&feed->thread.changed);
	pthread_mutex_unlock(&feed->thread.lock);
}
