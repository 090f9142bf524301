/*
 * Samples, taken by a thread of their own: whoever draws never waits for a device, a
 * file or a socket. What the sampler thread has found is a frame, shared by counting
 * and never changed; only the newest is kept for whoever asks.
 *
 *	sampler:  take ── publish ── wait for the tick ── take …
 *	display:      … poll(keys, feed_fd()) ── feed_latest() ── draw …
 *
 * Errands are what has to touch the machine besides: they are run by the same thread.
 */
#pragma once

#include "basic/buf.h"
#include "basic/root.h"
#include "basic/macros.h"
#include "model/snapshot.h"
#include "model/want.h"
#include "tui/settings.h"

#include <stdatomic.h>
#include <stdint.h>

/* Where snapshots come from; used by the sampler thread only. */
struct machine {
	void *arg;
	const struct root *root;
	/* 0 and a snapshot, or an exit code and a sentence that stays until the next call. */
	int (*take)(void *arg, const struct want *want, const struct snapshot *before,
		    struct snapshot **ret, const char **ret_problem);
};

struct frame {
	atomic_uint refs;
	struct snapshot *snapshot; /* NULL: there is nothing to show */
	char *problem;		   /* then why, if memory was left to say so */
	int code;		   /* and the exit code for it */
	struct want want;	   /* what it was asked for */
	bool first;		   /* of devices alone: the rest follows at once */
	int64_t taken_ns;	   /* CLOCK_MONOTONIC, when it was complete */
};

void frame_unref(struct frame *frame); /* takes NULL */

enum errand_kind {
	ERRAND_SIGNAL,	/* send a signal to processes */
	ERRAND_SAVE,	/* write the settings */
	ERRAND_INSPECT, /* a process's environment and open files, as text */
	ERRAND_N,
};

/* A process, whoever gets its number later. */
struct target {
	int32_t pid;
	uint64_t start_ticks;
};

struct errand {
	enum errand_kind kind;
	int32_t pid; /* to inspect */
	int signal;
	struct target *targets; /* to signal; freed with the errand */
	size_t n_targets;
	struct settings settings; /* to save */
};

struct feed;

/* Starts sampling. The machine must outlive the feed. */
MUST_CHECK int feed_new(const struct machine *machine, const struct want *want, unsigned period_ms,
			struct feed **ret);

/*
 * Ends it, errands first; appends what came of those that nobody heard of, a line each.
 * False: the thread is stuck in a read, and keeps the feed and the machine, which must
 * then stay where they are.
 */
MUST_CHECK bool feed_free(struct feed *feed, struct buf *ret_news);

/* Readable when there is a new frame or an answer. */
int feed_fd(const struct feed *feed);

/* A frame that was not handed out before, with a reference; NULL: none. Clears the descriptor. */
struct frame *feed_latest(struct feed *feed);

/*
 * From the next sample on; if it is another, that is taken at once: true.
 *
 * At a low rate, processes and memory are looked at once a second and borrowed in
 * between, but for single allocations; what is read of devices is the source's affair.
 */
bool feed_set_want(struct feed *feed, const struct want *want);

void feed_set_period(struct feed *feed, unsigned period_ms);

/* Takes a sample at once. */
void feed_hurry(struct feed *feed);

/* False: too many are waiting, and the errand is still the caller's. */
MUST_CHECK bool feed_ask(struct feed *feed, const struct errand *errand);

/* What the last errand of this kind brought, once: true and the text replaced. */
bool feed_answer(struct feed *feed, enum errand_kind kind, struct buf *ret);

/* The same of an inspection: what was asked of another process before is not taken. */
bool feed_inspection(struct feed *feed, int32_t pid, struct buf *ret);
