#include "tui/feed.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "tui/errand.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>

enum { MAX_ERRANDS = 64 };

/* As many as 64 cards keep open. Asked for later they cost milliseconds: see file_reserve(). */
enum { DESCRIPTORS = 2047 };

struct feed {
	const struct machine *machine;
	struct frame *last; /* for rates; the sampler thread's own, as is the next */
	struct want asked;  /* of the last sample with processes */
	pthread_t thread;
	int wake_fd; /* readable for the display */

	pthread_mutex_t lock; /* for all below; held for moments only */
	pthread_cond_t changed;
	struct want want;
	int64_t period_ns;
	bool stop, hurry, ended, on_errand;
	struct frame *newest; /* not handed out yet */
	struct errand errands[MAX_ERRANDS];
	size_t n_errands;
	struct buf answers[ERRAND_N];
	bool answered[ERRAND_N];
	int32_t inspected; /* the process that the answer is about */
};

void frame_unref(struct frame *frame)
{
	/* The last one to let go sees all that the others did before. */
	if (!frame || atomic_fetch_sub_explicit(&frame->refs, 1, memory_order_acq_rel) > 1)
		return;
	snapshot_free(frame->snapshot);
	free(frame->problem);
	free(frame);
}

/* A sample that comes a little early counts: the next one would come a whole second late. */
static const int64_t borrowed_ns = 900 * NS_PER_MS;

/* Are the processes of the last frame good enough for this one? */
static bool may_borrow(const struct feed *feed, const struct want *want)
{
	const struct snapshot *last = feed->last ? feed->last->snapshot : NULL;

	return last && want->low_rate && !want->allocations &&
	       memcmp(want, &feed->asked, sizeof(*want)) == 0 &&
	       clock_now(CLOCK_MONOTONIC) - last->asked_ns < borrowed_ns;
}

static void want_devices_only(struct want *want)
{
	want->processes = want->utilization = false;
	want->allocations = want->reporters = want->accounts = false;
}

/* Rates need two samples: what they are made of can wait for the second. */
static void want_first(struct want *want)
{
	want_devices_only(want);
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		fieldset_remove(&want->device, DEV_COUNTER + i);
}

static void sample(struct feed *feed, const struct want *want, struct frame *frame)
{
	const struct machine *machine = feed->machine;
	const char *problem = NULL;

	frame->code = machine->take(machine->arg, want, feed->last ? feed->last->snapshot : NULL,
				    &frame->snapshot, &problem);
	if (frame->code && problem)
		frame->problem = strdup(problem);
	frame->taken_ns = clock_now(CLOCK_MONOTONIC);
}

/* Devices read, the rest borrowed. False: it has to be looked at. */
static bool sample_devices(struct feed *feed, struct want want, struct frame *frame)
{
	want_devices_only(&want);
	sample(feed, &want, frame);
	if (!frame->snapshot || snapshot_borrow(frame->snapshot, feed->last->snapshot))
		return true;
	frame->snapshot = snapshot_free(frame->snapshot);
	return false;
}

/* Two references: one for the next rates, one for the display. */
static struct frame *take_frame(struct feed *feed)
{
	struct frame *frame = calloc(1, sizeof(*frame));
	struct want want;

	if (!frame)
		return NULL;
	pthread_mutex_lock(&feed->lock);
	want = feed->want;
	pthread_mutex_unlock(&feed->lock);
	frame->refs = 2;
	frame->want = want;
	frame->first = !feed->last;
	if (frame->first) {
		want_first(&want);
		sample(feed, &want, frame);
	} else if (!may_borrow(feed, &want) || !sample_devices(feed, want, frame)) {
		feed->asked = want;
		sample(feed, &want, frame);
	}
	return frame;
}

/*
 * Counters wrap, so rates are of samples that are less than 4.3 s apart (model/rates.c);
 * and what they are made of is read every two seconds. Whoever samples less often has
 * another one taken before each that is shown.
 */
static const int64_t longest_ns = 4000 * NS_PER_MS, pair_ns = 2500 * NS_PER_MS;

/* Of devices alone, for the next rates, and for nobody to see. */
static void take_unseen(struct feed *feed)
{
	struct frame *frame = calloc(1, sizeof(*frame));

	if (!frame)
		return;
	frame->refs = 1;
	if (!feed->last || !feed->last->snapshot || !sample_devices(feed, feed->asked, frame) ||
	    !frame->snapshot) {
		frame_unref(frame);
		return;
	}
	frame_unref(feed->last);
	feed->last = frame;
}

static void wake_display(const struct feed *feed)
{
	uint64_t one = 1;

	(void)!write(feed->wake_fd, &one, sizeof(one)); /* full means awake */
}

static void publish(struct feed *feed, struct frame *frame)
{
	struct frame *missed;

	if (!frame)
		return;
	frame_unref(feed->last);
	feed->last = frame;
	pthread_mutex_lock(&feed->lock);
	missed = feed->newest;
	feed->newest = frame;
	pthread_mutex_unlock(&feed->lock);
	frame_unref(missed);
	wake_display(feed);
}

/* Runs what was asked, without the lock; called and left with the lock. */
static void run_errand(struct feed *feed)
{
	struct errand errand = feed->errands[0];
	struct buf answer = { 0 };

	feed->on_errand = true;
	feed->n_errands--;
	memmove(feed->errands, feed->errands + 1, feed->n_errands * sizeof(errand));
	pthread_mutex_unlock(&feed->lock);
	errand_run(&errand, feed->machine->root, &answer);
	free(errand.targets);
	pthread_mutex_lock(&feed->lock);
	buf_done(&feed->answers[errand.kind]);
	feed->answers[errand.kind] = answer;
	feed->answered[errand.kind] = true;
	feed->on_errand = false;
	if (errand.kind == ERRAND_INSPECT)
		feed->inspected = errand.pid;
	wake_display(feed);
}

/* Until the tick, a wish for a sample, or the end; called and left with the lock. */
static void wait_until(struct feed *feed, const int64_t *tick, int64_t before_ns)
{
	for (;;) {
		struct timespec until = clock_timespec(*tick + feed->period_ns - before_ns);

		/* First of all: the next sample is to show what came of them, and who
		 * quits has asked for them. */
		if (feed->n_errands)
			run_errand(feed);
		else if (feed->stop || feed->hurry ||
			 pthread_cond_timedwait(&feed->changed, &feed->lock, &until) == ETIMEDOUT)
			break;
	}
}

/* False: it is the end. */
static bool wait_for_tick(struct feed *feed, int64_t *tick)
{
	bool stop;

	pthread_mutex_lock(&feed->lock);
	if (feed->period_ns > longest_ns) {
		wait_until(feed, tick, pair_ns);
		if (!feed->stop && !feed->hurry) {
			pthread_mutex_unlock(&feed->lock);
			take_unseen(feed);
			pthread_mutex_lock(&feed->lock);
		}
	}
	wait_until(feed, tick, 0);
	/* No backlog if the last one took too long, and none after being asked. */
	if (feed->hurry)
		feed->asked = (struct want){ 0 };
	*tick = feed->hurry ? clock_now(CLOCK_MONOTONIC)
			    : MAX(*tick + feed->period_ns,
				  clock_now(CLOCK_MONOTONIC) - feed->period_ns);
	feed->hurry = false;
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

static void init_locks(struct feed *feed)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&feed->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&feed->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

int feed_new(const struct machine *machine, const struct want *want, unsigned period_ms,
	     struct feed **ret)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	int r;

	if (!feed)
		return -ENOMEM;
	feed->machine = machine;
	feed->want = *want;
	feed->period_ns = period_ms * NS_PER_MS;
	file_reserve(machine->root->fd, DESCRIPTORS);
	feed->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = feed->wake_fd < 0 ? -errno : 0;
	if (r == 0) {
		init_locks(feed);
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

/* Nobody who quits waits long for a read that hangs, unless it is for what was asked. */
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

		asked = asked || feed->n_errands || feed->on_errand;
		until = clock_timespec(now + (asked ? 2000 : 50) * NS_PER_MS);
		r = pthread_cond_timedwait(&feed->changed, &feed->lock, &until);
	}
	ended = feed->ended;
	pthread_mutex_unlock(&feed->lock);
	return ended;
}

/* What was asked and not told, of all but inspections: their reader is gone. */
static void take_news(struct feed *feed, struct buf *ret)
{
	static const char *const undone[] = {
		[ERRAND_SIGNAL] = "no signal sent: a read that hangs was before it",
		[ERRAND_SAVE] = "settings not written: a read that hangs was before it",
	};

	pthread_mutex_lock(&feed->lock);
	for (size_t i = 0; i < ARRAY_SIZE(undone); i++)
		if (feed->answered[i])
			buf_printf(ret, "%s\n", buf_text(&feed->answers[i]));
	for (size_t i = 0; i < feed->n_errands; i++)
		if (feed->errands[i].kind < ARRAY_SIZE(undone))
			buf_printf(ret, "%s\n", undone[feed->errands[i].kind]);
	pthread_mutex_unlock(&feed->lock);
}

bool feed_free(struct feed *feed, struct buf *ret_news)
{
	bool ended;

	if (!feed)
		return true;
	ended = wait_for_end(feed);
	take_news(feed, ret_news);
	if (!ended) {
		pthread_detach(feed->thread);
		return false;
	}
	pthread_join(feed->thread, NULL);
	frame_unref(feed->last);
	frame_unref(feed->newest);
	for (size_t i = 0; i < feed->n_errands; i++)
		free(feed->errands[i].targets);
	for (size_t i = 0; i < ERRAND_N; i++)
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
		feed->hurry = true;
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

void feed_hurry(struct feed *feed)
{
	pthread_mutex_lock(&feed->lock);
	feed->hurry = true;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
}

bool feed_ask(struct feed *feed, const struct errand *errand)
{
	bool room;

	pthread_mutex_lock(&feed->lock);
	room = feed->n_errands < MAX_ERRANDS;
	if (room)
		feed->errands[feed->n_errands++] = *errand;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
	return room;
}

/* With the lock. */
static bool take_answer(struct feed *feed, enum errand_kind kind, struct buf *ret)
{
	if (!feed->answered[kind])
		return false;
	buf_done(ret);
	*ret = feed->answers[kind];
	feed->answers[kind] = (struct buf){ 0 };
	feed->answered[kind] = false;
	return true;
}

bool feed_answer(struct feed *feed, enum errand_kind kind, struct buf *ret)
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
	there = feed->inspected == pid && take_answer(feed, ERRAND_INSPECT, ret);
	pthread_mutex_unlock(&feed->lock);
	return there;
}
