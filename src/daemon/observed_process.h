/*
 * Processes that report nothing themselves, but whose memory the observer finds counted: by the
 * tracer, or in TT-Metal's own counters. Each sample of the observer brings their figures up to
 * date, and they are reporters like all others.
 *
 * A traced process that ends gets an account. The kernel forgets its figures at its end, so the
 * account has those of the last sample, and as peaks the most that a sample saw. While the server
 * traces, it takes a sample once a second.
 */
#pragma once

#include "daemon/cards.h"
#include "daemon/reporter.h"

#include <stdbool.h>
#include <stdint.h>

struct probes;

/* Each has a descriptor of the server; those beyond are shown, and get no account. */
enum { TRACED_WATCHED_MAX = 1024 };

struct observed_processes {
	struct reporters *reporters;
	struct cards *cards;
	struct probes *probes;
	uint32_t watched;   /* traced processes with a pidfd, or that wait for one */
	struct timer timer; /* asks for the next sample */
};

/* samples: asks the observer by itself, once a second. */
void observed_processes_init(struct observed_processes *all, struct reporters *reporters,
			     struct cards *cards, struct probes *probes, bool samples);
void observed_processes_done(struct observed_processes *all);

/* Takes over what the cards' last sample says. */
void observed_processes_update(struct observed_processes *all);
