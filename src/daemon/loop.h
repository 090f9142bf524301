/*
 * The event loop: one thread waits for descriptors (epoll) and timers.
 *
 * A watch and a timer are embedded in the object they serve; the callback finds it with
 * container_of(). Either may be stopped, and its object freed, in any callback: pending events for
 * it are then discarded.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

struct loop;

struct watch {
	int fd; /* -1: inactive */
	void (*ready)(struct watch *watch, uint32_t events);
};

struct timer {
	int64_t at; /* CLOCK_MONOTONIC ns */
	void (*expired)(struct timer *timer);
	struct timer *next, *previous; /* sorted by time */
	bool armed;
};

enum { LOOP_BATCH = 1024 };

struct loop {
	int epoll;
	bool stopped;
	struct timer *first, *last;
	struct epoll_event batch[LOOP_BATCH]; /* being processed */
	int at, count;
	bool (*work)(struct loop *loop); /* called after each batch; true: there is more to do */
	bool busy;
};

MUST_CHECK int loop_init(struct loop *loop);
void loop_done(struct loop *loop);

/* Runs until loop_stop(). -errno if waiting fails. */
MUST_CHECK int loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* The caller keeps the descriptor and closes it after watch_stop(). */
MUST_CHECK int watch_start(struct loop *loop, struct watch *watch, int fd, uint32_t events);
MUST_CHECK int watch_change(struct loop *loop, struct watch *watch, uint32_t events);
void watch_stop(struct loop *loop, struct watch *watch); /* sets fd to -1 */

/* Expires once, after the given time. Setting it again moves it. */
void timer_set(struct loop *loop, struct timer *timer, int64_t delay_ns);
void timer_stop(struct loop *loop, struct timer *timer);
