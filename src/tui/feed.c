#include "tui/feed.h"

#include "basic/background_thread.h"
#include "basic/clock.h"
#include "basic/file.h"
#include "basic/wakeup.h"
#include "tui/frame_sampler.h"

#include <errno.h>
#include <string.h>

enum { MAX_TASKS = 64 };

/* Descriptors for 64 cards. Growing the table later takes milliseconds: see file_reserve(). */
enum { DESCRIPTORS = 2047 };

struct feed {
	struct frame_sampler sampler; /* used by the sampler thread only */

	struct background_thread thread; /* its lock is never held across a read */
	/* Under the lock: */
	struct want want;
	int64_t period_ns;
	bool sample_now, running_task;
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

/* Takes a frame with the wanted fields; NULL: out of memory. */
static struct frame *take_frame(struct feed *feed)
{
	struct want want;

	pthread_mutex_lock(&feed->thread.lock);
	want = feed->want;
	pthread_mutex_unlock(&feed->thread.lock);
	return frame_sampler_take(&feed->sampler, &want);
}

static void publish(struct feed *feed, struct frame *frame)
{
	struct frame *missed;

	if (!frame)
		return;
	pthread_mutex_lock(&feed->thread.lock);
	missed = feed->newest;
	feed->newest = frame;
	pthread_mutex_unlock(&feed->thread.lock);
	frame_unref(missed);
	wakeup_send(feed->thread.fd);
}

/* Runs the first task. Called with the lock, which is released meanwhile. */
static void run_task(struct feed *feed)
{
	struct ui_task task = feed->tasks[0];
	struct buf answer = { 0 };

	feed->running_task = true;
	feed->n_tasks--;
	memmove(feed->tasks, feed->tasks + 1, feed->n_tasks * sizeof(task));
	pthread_mutex_unlock(&feed->thread.lock);
	ui_task_run(&task, feed->sampler.source->root, &answer);
	free(task.targets);
	pthread_mutex_lock(&feed->thread.lock);
	buf_done(&feed->answers[task.kind]);
	feed->answers[task.kind] = answer;
	feed->answered[task.kind] = true;
	feed->running_task = false;
	if (task.kind == UI_TASK_INSPECT)
		feed->inspected = task.pid;
	wakeup_send(feed->thread.fd);
}

/* Waits for the tick, a request for a sample, or the end. Called with the lock. */
static void wait_until(struct feed *feed, const int64_t *tick, int64_t before_ns)
{
	for (;;) {
		/* Tasks run first, even before the end: the next sample shows their effect. */
		if (feed->n_tasks)
			run_task(feed);
		else if (feed->thread.stop || feed->sample_now ||
			 !background_thread_wait(&feed->thread,
						 *tick + feed->period_ns - before_ns))
			break;
	}
}

/* False: the thread is to end. */
static bool wait_for_tick(struct feed *feed, int64_t *tick)
{
	bool stop;

	pthread_mutex_lock(&feed->thread.lock);
	if (feed->period_ns > longest_ns) {
		wait_until(feed, tick, pair_ns);
		if (!feed->thread.stop && !feed->sample_now) {
			pthread_mutex_unlock(&feed->thread.lock);
			frame_sampler_prepare(&feed->sampler);
			pthread_mutex_lock(&feed->thread.lock);
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
	stop = feed->thread.stop;
	pthread_mutex_unlock(&feed->thread.lock);
	return !stop;
}

static void feed_main(void *arg)
{
	struct feed *feed = arg;
	int64_t tick = clock_now(CLOCK_MONOTONIC);

	publish(feed, take_frame(feed));
	do
		publish(feed, take_frame(feed));
	while (wait_for_tick(feed, &tick));
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
	r = background_thread_start(&feed->thread, feed_main, feed);
	if (r < 0) {
		free(feed);
		return r;
	}
	*ret = feed;
	return 0;
}

/* How long to wait for a read that hangs: longer if there are tasks to run. */
static int64_t patience(struct feed *feed)
{
	bool busy;

	pthread_mutex_lock(&feed->thread.lock);
	busy = feed->n_tasks || feed->running_task;
	pthread_mutex_unlock(&feed->thread.lock);
	return (busy ? 2000 : 50) * NS_PER_MS;
}

/* Results that were not fetched, except those of inspections, which are no longer needed. */
static void take_unread(struct feed *feed, struct buf *ret)
{
	static const char *const undone[] = {
		[UI_TASK_SIGNAL] = "no signal sent: a read hangs",
		[UI_TASK_SAVE] = "settings not written: a read hangs",
	};

	pthread_mutex_lock(&feed->thread.lock);
	for (size_t i = 0; i < ARRAY_SIZE(undone); i++)
		if (feed->answered[i])
			buf_printf(ret, "%s\n", buf_text(&feed->answers[i]));
	for (size_t i = 0; i < feed->n_tasks; i++)
		if (feed->tasks[i].kind < ARRAY_SIZE(undone))
			buf_printf(ret, "%s\n", undone[feed->tasks[i].kind]);
	pthread_mutex_unlock(&feed->thread.lock);
}

bool feed_free(struct feed *feed, struct buf *ret_unread)
{
	bool ended;

	if (!feed)
		return true;
	ended = background_thread_end(&feed->thread, patience(feed));
	take_unread(feed, ret_unread);
	if (!ended)
		return false;
	frame_sampler_done(&feed->sampler);
	frame_unref(feed->newest);
	for (size_t i = 0; i < feed->n_tasks; i++)
		free(feed->tasks[i].targets);
	for (size_t i = 0; i < UI_TASK_N; i++)
		buf_done(&feed->answers[i]);
	background_thread_done(&feed->thread);
	free(feed);
	return true;
}

int feed_fd(const struct feed *feed)
{
	return feed->thread.fd;
}

struct frame *feed_latest(struct feed *feed)
{
	struct frame *frame;

	wakeup_clear(feed->thread.fd);
	pthread_mutex_lock(&feed->thread.lock);
	frame = TAKE_PTR(feed->newest);
	pthread_mutex_unlock(&feed->thread.lock);
	return frame;
}

bool feed_set_want(struct feed *feed, const struct want *want)
{
	bool other;

	pthread_mutex_lock(&feed->thread.lock);
	other = memcmp(&feed->want, want, sizeof(*want)) != 0;
	if (other) {
		feed->want = *want;
		feed->sample_now = true;
		pthread_cond_broadcast(&feed->thread.changed);
	}
	pthread_mutex_unlock(&feed->thread.lock);
	return other;
}

void feed_set_period(struct feed *feed, unsigned period_ms)
{
	pthread_mutex_lock(&feed->thread.lock);
	feed->period_ns = period_ms * NS_PER_MS;
	pthread_cond_broadcast(&feed->thread.changed);
	pthread_mutex_unlock(&feed->thread.lock);
}

void feed_sample_now(struct feed *feed)
{
	pthread_mutex_lock(&feed->thread.lock);
	feed->sample_now = true;
	pthread_cond_broadcast(&feed->thread.changed);
	pthread_mutex_unlock(&feed->thread.lock);
}

bool feed_submit(struct feed *feed, const struct ui_task *task)
{
	bool room;

	pthread_mutex_lock(&feed->thread.lock);
	room = feed->n_tasks < MAX_TASKS;
	if (room)
		feed->tasks[feed->n_tasks++] = *task;
	pthread_cond_broadcast(&feed->thread.changed);
	pthread_mutex_unlock(&feed->thread.lock);
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

	pthread_mutex_lock(&feed->thread.lock);
	there = take_answer(feed, kind, ret);
	pthread_mutex_unlock(&feed->thread.lock);
	return there;
}

bool feed_inspection(struct feed *feed, int32_t pid, struct buf *ret)
{
	bool there;

	pthread_mutex_lock(&feed->thread.lock);
	there = feed->inspected == pid && take_answer(feed, UI_TASK_INSPECT, ret);
	pthread_mutex_unlock(&feed->thread.lock);
	return there;
}
