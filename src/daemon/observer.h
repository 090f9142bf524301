/*
 * The thread that reads /proc, /dev/shm, sysfs and the tracer's files, so that the loop never
 * waits for any of them. Each read is a job with a deadline (basic/worker_pool.h): a file that
 * does not answer costs what is known of its process, and nothing else.
 *
 *	loop:      probe_start(), observer_sample() ──>  queue
 *	observer:  takes all that is queued, runs it, hands over what it found
 *	loop:      <── eventfd ── callbacks
 *
 * What it hands over no longer changes. It works when asked, and when device nodes come or go;
 * otherwise it sleeps.
 */
#pragma once

#include "basic/macros.h"
#include "basic/root.h"
#include "daemon/link_check.h"
#include "daemon/loop.h"
#include "model/merge.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct found_table; /* table_search.h */
struct observer;
struct probes; /* process_probe.h */

/* What the sources said at one time. */
struct observation {
	int error;	  /* -ENOENT: no driver; then all of the following is empty */
	int64_t taken_ns; /* CLOCK_MONOTONIC, when it began */
	bool changed;	  /* device nodes have come or gone */
	struct snapshot *snapshot;
	struct memory_report *reports; /* of the tracer and of TT-Metal; devices by place in the
					  snapshot */
	size_t n_reports;
	uint64_t *gone; /* names of links that are no longer there */
	size_t n_gone;
};

void observation_free(struct observation *observation);

/* Called in the loop's thread. */
struct observer_ops {
	void (*observed)(void *arg, struct observation *observation); /* takes it */
	void (*found)(void *arg, const struct found_table *table);
	void (*searched)(void *arg, int error); /* for tables: that was all */
};

/* root must stay until the process ends: a read that blocks may still use it. */
MUST_CHECK int observer_new(struct loop *loop, const struct root *root,
			    const struct observer_ops *ops, void *arg, struct observer **ret);
struct observer *observer_free(struct observer *observer);

/* Its probes, for probe_start(). */
struct probes *observer_probes(const struct observer *observer);

/* Asks the sources; a question that is under way already will do if it began after this call. */
void observer_sample(struct observer *observer, const struct observed_link *links, size_t count);

/* Searches /proc for tables, once. */
void observer_search(struct observer *observer);
