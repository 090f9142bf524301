#include "tui/feed.h"

#include "basic/clock.h"
#include "basic/condition.h"
#include "basic/file.h"
#include "tui/frame_sampler.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>

enum { MAX_TASKS = 64 };

/* Descriptors for 64 cards. Growing the table later takes milliseconds: see file_reserve(). */
enum { DESCRIPTORS = 2047 };

struct feed {
	struct frame_sampler sampler; /* used by the sampler thread only */
	pthread_t thread;
	int wake_fd; /* eventfd, readable for the display */

	pthread_mutex_t lock; /* protects the members below; never held across a read */
	pthread_cond_t changed;
	struct want want;
	int64_t period_ns;
	bool stop, sample_now, ended, running_task;
	struct frame *newest; /* not fetched yet */
	struct ui_task tasks[MAX_TASKS];
	size_t n_tasks;
	struct buf answers[UI_TASK_N];
	bool answered[UI_TASK_N];
	int32_t inspected; /* the process that was inspected */
};

/*
 * Counters wrap after 4.3 s, so rates need samples that are closer together (model/rates.c).
 * With a longer period, another sample is taken shortly before each one that is shown.
 */
static const int64_t longest_ns = 4000 * NS_PER_MS, pair_ns = 2500 * NS_PER_MS;

static void wake_display(const struct feed *feed)
{
	uint64_t one = 1;

	/* fails only if the counter is full: then the display is awake anyway */
	(void)!write(feed->wake_fd, &one, sizeof(one));
}

/* Takes a frame with the wanted fields; NULL: out of memory. */
static struct frame *take_frame(struct feed *feed)
{
	struct want want;

	pthread_mutex_lock(&feed->lock);
	want = feed->want;
	pthread_mutex_unlock(&feed->lock);
	return frame_sampler_take(&feed->sampler, &want);
}

static void publish(struct feed *feed, struct frame *frame)
{
	struct frame *missed;

	if (!frame)
		return;
	pthread_mutex_lock(&feed->lock);
	missed = feed->newest;
	feed->newest = frame;
	pthread_mutex_unlock(&feed->lock);
	frame_unref(missed);
	wake_display(feed);
}

/* Runs the first task. Called with the lock, which is released meanwhile. */
static void run_task(struct feed *feed)
{
	struct ui_task task = feed->tasks[0];
	struct buf answer = { 0 };

	feed->running_task = true;
	feed->n_tasks--;
	memmove(feed->tasks, feed->tasks + 1, feed->n_tasks * sizeof(task));
	pthread_mutex_unlock(&feed->lock);
	ui_task_run(&task, feed->sampler.source->root, &answer);
	free(task.targets);
	pthread_mutex_lock(&feed->lock);
	buf_done(&feed->answers[task.kind]);
	feed->answers[task.kind] = answer;
	feed->answered[task.kind] = true;
	feed->running_task = false;
	if (task.kind == UI_TASK_INSPECT)
		feed->inspected = task.pid;
	wake_display(feed);
}

/* Waits for the tick, a request for a sample, or the end. Called with the lock. */
static void wait_until(struct feed *feed, const int64_t *tick, int64_t before_ns)
{
	for (;;) {
		struct timespec until = clock_timespec(*tick + feed->period_ns - before_ns);

		/* Tasks run first, even before the end: the next sample shows their effect. */
		if (feed->n_tasks)
			run_task(feed);
		else if (feed->stop || feed->sample_now ||
			 pthread_cond_timedwait(&feed->changed, &feed->lock, &until) == ETIMEDOUT)
			break;
	}
}

/* False: the thread is to end. */
static bool wait_for_tick(struct feed *feed, int64_t *tick)
{
	bool stop;

	pthread_mutex_lock(&feed->lock);
	if (feed->period_ns > longest_ns) {
		wait_until(feed, tick, pair_ns);
		if (!feed->stop && !feed->sample_now) {
			pthread_mutex_unlock(&feed->lock);
			frame_sampler_prepare(&feed->sampler);
			pthread_mutex_lock(&feed->lock);
		}
	}
	wait_until(feed, tick, 0);
	/* No backlog of ticks after a slow sample, nor after a requested one. */
	if (feed->sample_now)
		frame_sampler_expire(&feed->sampler);
	*tick = feed->sample_now ? clock_now(CLOCK_MONOTONIC)
				 : MAX(*tick + feed->period_ns,
				       clock_now(CLOCK_MONOTONIC) - feed->period_ns);
	feed->sample_now = false;
	stop = feed->stop;
	pthread_mutex_unlock(&feed->lock);
	return !stop;
}

static void *feed_main(void *arg)
{
	struct feed *feed = arg;
	int64_t tick = clock_now(CLOCK_MONOTONIC);

	publish(feed, take_frame(feed));
	do
		publish(feed, take_frame(feed));
	while (wait_for_tick(feed, &tick));
	pthread_mutex_lock(&feed->lock);
	feed->ended = true;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
	return NULL;
}

int feed_new(const struct sample_source *source, const struct want *want, unsigned period_ms,
	     struct feed **ret)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	int r;

	if (!feed)
		return -ENOMEM;
	feed->sampler.source = source;
	feed->want = *want;
	feed->period_ns = period_ms * NS_PER_MS;
	file_reserve(source->root->fd, DESCRIPTORS);
	feed->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = feed->wake_fd < 0 ? -errno : 0;
	if (r == 0) {
		pthread_mutex_init(&feed->lock, NULL);
		condition_init(&feed->changed);
		r = -pthread_create(&feed->thread, NULL, feed_main, feed);
	}
	if (r < 0) {
		if (feed->wake_fd >= 0)
			close(feed->wake_fd);
		free(feed);
		return r;
	}
	*ret = feed;
	return 0;
}

/* Waits 50 ms for a read that hangs, but 2 s if there are tasks to run. */
static bool wait_for_end(struct feed *feed)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);
	bool asked = false, ended;
	int r = 0;

	pthread_mutex_lock(&feed->lock);
	feed->stop = true;
	pthread_cond_broadcast(&feed->changed);
	while (!feed->ended && r == 0) {
		struct timespec until;

		asked = asked || feed->n_tasks || feed->running_task;
		until = clock_timespec(now + (asked ? 2000 : 50) * NS_PER_MS);
		r = pthread_cond_timedwait(&feed->changed, &feed->lock, &until);
	}
	ended = feed->ended;
	pthread_mutex_unlock(&feed->lock);
	return ended;
}

/* Results that were not fetched, except those of inspections, which are no longer needed. */
static void take_unread(struct feed *feed, struct buf *ret)
{
	static const char *const undone[] = {
		[UI_TASK_SIGNAL] = "no signal sent: a read hangs",
		[UI_TASK_SAVE] = "settings not written: a read hangs",
	};

	pthread_mutex_lock(&feed->lock);
	for (size_t i = 0; i < ARRAY_SIZE(undone); i++)
		if (feed->answered[i])
			buf_printf(ret, "%s\n", buf_text(&feed->answers[i]));
	for (size_t i = 0; i < feed->n_tasks; i++)
		if (feed->tasks[i].kind < ARRAY_SIZE(undone))
			buf_printf(ret, "%s\n", undone[feed->tasks[i].kind]);
	pthread_mutex_unlock(&feed->lock);
}

bool feed_free(struct feed *feed, struct buf *ret_unread)
{
	bool ended;

	if (!feed)
		return true;
	ended = wait_for_end(feed);
	take_unread(feed, ret_unread);
	if (!ended) {
		pthread_detach(feed->thread);
		return false;
	}
	pthread_join(feed->thread, NULL);
	frame_sampler_done(&feed->sampler);
	frame_unref(feed->newest);
	for (size_t i = 0; i < feed->n_tasks; i++)
		free(feed->tasks[i].targets);
	for (size_t i = 0; i < UI_TASK_N; i++)
		buf_done(&feed->answers[i]);
	pthread_mutex_destroy(&feed->lock);
	pthread_cond_destroy(&feed->changed);
	close(feed->wake_fd);
	free(feed);
	return true;
}

int feed_fd(const struct feed *feed)
{
	return feed->wake_fd;
}

struct frame *feed_latest(struct feed *feed)
{
	struct frame *frame;
	uint64_t count;

	(void)!read(feed->wake_fd, &count, sizeof(count));
	pthread_mutex_lock(&feed->lock);
	frame = TAKE_PTR(feed->newest);
	pthread_mutex_unlock(&feed->lock);
	return frame;
}

bool feed_set_want(struct feed *feed, const struct want *want)
{
	bool other;

	pthread_mutex_lock(&feed->lock);
	other = memcmp(&feed->want, want, sizeof(*want)) != 0;
	if (other) {
		feed->want = *want;
		feed->sample_now = true;
		pthread_cond_broadcast(&feed->changed);
	}
	pthread_mutex_unlock(&feed->lock);
	return other;
}

void feed_set_period(struct feed *feed, unsigned period_ms)
{
	pthread_mutex_lock(&feed->lock);
	feed->period_ns = period_ms * NS_PER_MS;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
}

void feed_sample_now(struct feed *feed)
{
	pthread_mutex_lock(&feed->lock);
	feed->sample_now = true;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
}

bool feed_submit(struct feed *feed, const struct ui_task *task)
{
	bool room;

	pthread_mutex_lock(&feed->lock);
	room = feed->n_tasks < MAX_TASKS;
	if (room)
		feed->tasks[feed->n_tasks++] = *task;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
	return room;
}

/* Called with the lock. */
static bool take_answer(struct feed *feed, enum ui_task_kind kind, struct buf *ret)
{
	if (!feed->answered[kind])
		return false;
	buf_done(ret);
	*ret = feed->answers[kind];
	feed->answers[kind] = (struct buf){ 0 };
	feed->answered[kind] = false;
	return true;
}

bool feed_result(struct feed *feed, enum ui_task_kind kind, struct buf *ret)
{
	bool there;

	pthread_mutex_lock(&feed->lock);
	there = take_answer(feed, kind, ret);
	pthread_mutex_unlock(&feed->lock);
	return there;
}

bool feed_inspection(struct feed *feed, int32_t pid, struct buf *ret)
{
	bool there;

	pthread_mutex_lock(&feed->lock);
	there = feed->inspected == pid && take_answer(feed, UI_TASK_INSPECT, ret);
	pthread_mutex_unlock(&feed->lock);
	return there;
}
