/*
 * Programs that are traced, as long as they live: for the account of each when it
 * ends. The kernel forgets a process at its end, so the last figures are those of
 * the last look, and the peaks the most that a look saw. Whoever asks looks; a
 * server that traces looks by itself too, once a second while somebody is traced.
 */
#pragma once

#include "daemon/cards.h"
#include "daemon/reporter.h"
#include "model/merge.h"
#include "proto/snapshot_image.h"

struct observer;

/* Each has a descriptor of ours; those beyond are shown, and not accounted for. */
enum { TRACED_LIVES_MAX = 1024 };

/*
 * One report of whoever counts the present only, as usages: of TT-Metal's counters no
 * peak and no counts, of the tracer the buffers held. Room for POOL_COUNT of them.
 */
uint32_t report_usages(const struct memory_report *report, const struct device *device,
		       struct image_usage *ret);

struct traced {
	struct reporters *reporters;
	struct cards *cards;
	struct observer *observer;
	uint32_t count;
	struct timer timer; /* asks for the next sample */
};

/* samples: asks the observer by itself, once a second. */
void traced_init(struct traced *traced, struct reporters *reporters, struct cards *cards,
		 struct observer *observer, bool samples);
void traced_done(struct traced *traced);

/* Takes over what the observer has just seen. */
void traced_take(struct traced *traced);
