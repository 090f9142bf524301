#include "daemon/loop.h"

#include "basic/clock.h"

#include <errno.h>

int loop_init(struct loop *loop)
{
	*loop = (struct loop){ .epoll = epoll_create1(EPOLL_CLOEXEC) };
	return loop->epoll < 0 ? -errno : 0;
}

void loop_done(struct loop *loop)
{
	if (loop->epoll >= 0)
		close(loop->epoll);
	loop->epoll = -1;
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
}

/* Milliseconds until the first timer, rounded up. */
static int loop_timeout(const struct loop *loop)
{
	int64_t left;

	if (loop->busy)
		return 0;
	if (!loop->first)
		return -1;
	left = loop->first->at - clock_now(CLOCK_MONOTONIC);
	if (left <= 0)
		return 0;
	return (int)MIN((left + NS_PER_MS - 1) / NS_PER_MS, 3600000);
}

static void loop_expire(struct loop *loop)
{
	int64_t now;

	if (!loop->first)
		return;
	now = clock_now(CLOCK_MONOTONIC);
	while (loop->first && loop->first->at <= now) {
		struct timer *timer = loop->first;

		timer_stop(loop, timer);
		timer->expired(timer);
	}
}

int loop_run(struct loop *loop)
{
	while (!loop->stopped) {
		int n = epoll_wait(loop->epoll, loop->batch, LOOP_BATCH, loop_timeout(loop));

		if (n < 0 && errno != EINTR)
			return -errno;
		loop->count = MAX(n, 0);
		for (loop->at = 0; loop->at < loop->count; loop->at++) {
			struct watch *watch = loop->batch[loop->at].data.ptr;

			if (watch)
				watch->ready(watch, loop->batch[loop->at].events);
		}
		loop->count = 0;
		loop_expire(loop);
		loop->busy = loop->work && loop->work(loop);
	}
	return 0;
}

int watch_start(struct loop *loop, struct watch *watch, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		return -errno;
	watch->fd = fd;
	return 0;
}

int watch_change(struct loop *loop, struct watch *watch, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	return epoll_ctl(loop->epoll, EPOLL_CTL_MOD, watch->fd, &event) < 0 ? -errno : 0;
}

void watch_stop(struct loop *loop, struct watch *watch)
{
	if (watch->fd < 0)
		return;
	epoll_ctl(loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->fd = -1;
	for (int i = loop->at + 1; i < loop->count; i++) {
		if (loop->batch[i].data.ptr == watch)
			loop->batch[i].data.ptr = NULL;
	}
}

/*
 * The list is sorted by time and searched from the end: timers of a kind have the same delay, so
 * nearly every new one is the last.
 */
void timer_set(struct loop *loop, struct timer *timer, int64_t delay_ns)
{
	struct timer *before;

	timer_stop(loop, timer);
	timer->at = clock_now(CLOCK_MONOTONIC) + delay_ns;
	before = loop->last;
	while (before && before->at > timer->at)
		before = before->previous;
	timer->previous = before;
	timer->next = before ? before->next : loop->first;
	*(timer->next ? &timer->next->previous : &loop->last) = timer;
	*(before ? &before->next : &loop->first) = timer;
	timer->armed = true;
}

void timer_stop(struct loop *loop, struct timer *timer)
{
	if (!timer->armed)
		return;
	*(timer->next ? &timer->next->previous : &loop->last) = timer->previous;
	*(timer->previous ? &timer->previous->next : &loop->first) = timer->next;
	timer->armed = false;
}
