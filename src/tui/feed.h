/*
 * The sampler thread: it takes samples and runs tasks, so that drawing never waits for a
 * device, a file or a socket. Only the newest frame is kept for the display.
 *
 *	sampler:  take ── publish ── wait for the tick ── take …
 *	display:      … poll(keys, feed_fd()) ── feed_latest() ── draw …
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "tui/frame.h"
#include "tui/ui_task.h"

#include <stdint.h>

struct feed;

/* Starts sampling. The source must outlive the feed. */
MUST_CHECK int feed_new(const struct sample_source *source, const struct want *want,
			unsigned period_ms, struct feed **ret);

/*
 * Runs the tasks that are left, stops the thread, and appends the results that the display
 * did not fetch, a line each. False: the thread is blocked in a read and still uses the feed
 * and the source, which must not be freed.
 */
MUST_CHECK bool feed_free(struct feed *feed, struct buf *ret_unread);

/* Readable when there is a new frame or result. */
int feed_fd(const struct feed *feed);

/* The newest frame with a reference; NULL: none since the last call. Clears the descriptor. */
struct frame *feed_latest(struct feed *feed);

/*
 * Changes what is sampled. If it differs from before, takes a sample at once and returns true.
 *
 * With want.low_rate, processes and memory are read once a second and reused in between, unless
 * single allocations are wanted; how often device attributes are read is decided by the source.
 */
bool feed_set_want(struct feed *feed, const struct want *want);

void feed_set_period(struct feed *feed, unsigned period_ms);

/* Takes a sample at once. */
void feed_sample_now(struct feed *feed);

/* Queues a task. False: the queue is full, and the caller keeps the task. */
MUST_CHECK bool feed_submit(struct feed *feed, const struct ui_task *task);

/* Fetches the result of the last task of this kind: true, and the text is replaced. */
bool feed_result(struct feed *feed, enum ui_task_kind kind, struct buf *ret);

/* The same for the inspection of a process; results for other processes are kept. */
bool feed_inspection(struct feed *feed, int32_t pid, struct buf *ret);
