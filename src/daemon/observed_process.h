/*
 * Processes that do not report themselves, but whose memory the observer finds: from the tracer, or
 * in TT-Metal's own counters. Each sample of the observer updates their figures, and they are
 * reporters like all others.
 *
 * A process that ends gets an account. Its figures are gone by then, so the account has those of
 * the latest sample, and as peaks the maximum of all samples. While the server traces, it takes a
 * sample once a second; else every ten seconds while it knows such processes, to see when their
 * memory changes.
 */
#pragma once

#include "daemon/cards.h"
#include "daemon/reporter.h"

#include <stdbool.h>
#include <stdint.h>

struct probes;

/*
 * Each uses a descriptor of the server; processes beyond this number are shown, but get no account.
 */
enum { OBSERVED_WATCHED_MAX = 1024 };

struct observed_processes {
	struct reporters *reporters;
	struct cards *cards;
	struct probes *probes;
	uint32_t watched;   /* processes with a pidfd, or waiting for one */
	bool samples;	    /* request a sample once a second */
	struct timer timer; /* requests the next sample */
};

/* samples: request a sample once a second, whether there are such processes or not. */
void observed_processes_init(struct observed_processes *all, struct reporters *reporters,
			     struct cards *cards, struct probes *probes, bool samples);
void observed_processes_done(struct observed_processes *all);

/* Updates all from the latest sample of the cards. */
void observed_processes_update(struct observed_processes *all);
