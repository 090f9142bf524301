/*
 * The thread that reads /proc, /dev/shm, sysfs and the tracer's files, so that the loop never
 * blocks on them. Each read is a job with a deadline (basic/worker_pool.h): if a file blocks, only
 * the data of its process is missing.
 *
 *         loop:      probe_start(), observer_sample() ──>  queue
 *         observer:  takes the whole queue, runs it, publishes the results
 *         loop:      <── eventfd ── callbacks
 *
 * Results are immutable. The thread runs on request, when device nodes appear or disappear, and
 * every two seconds for the cards' PCIe counters (daemon/activity.h); otherwise it sleeps.
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

struct image_device; /* proto/snapshot_image.h */
struct found_table;  /* table_search.h */
struct observer;
struct probes; /* process_probe.h */

/* The result of one sample. */
struct observation {
	int error;	  /* -ENOENT: no driver; then everything below is empty */
	int64_t taken_ns; /* CLOCK_MONOTONIC, when it began */
	bool changed;	  /* device nodes have appeared or disappeared */
	struct snapshot *snapshot;
	struct memory_report
		*reports; /* of the tracer and of TT-Metal; devices are indices into snapshot */
	size_t n_reports;
	uint64_t *gone; /* names of closed links */
	size_t n_gone;
};

void observation_free(struct observation *observation);

/* Called in the loop's thread. */
struct observer_ops {
	void (*observed)(void *arg, struct observation *observation); /* takes ownership */
	void (*found)(void *arg, const struct found_table *table);
	void (*searched)(void *arg, int error); /* the search for tables is finished */
	/* when the cards last showed work */
	void (*active)(void *arg, const struct image_device *list, size_t count);
};

/* root must stay valid until the process exits: a blocked read may still use it. */
MUST_CHECK int observer_new(struct loop *loop, const struct root *root,
			    const struct observer_ops *ops, void *arg, struct observer **ret);
struct observer *observer_free(struct observer *observer);

/* Its probes, for probe_start(). */
struct probes *observer_probes(const struct observer *observer);

/* Requests a sample; one that is being taken is sufficient if it began after this call. */
void observer_sample(struct observer *observer, const struct observed_link *links, size_t count);

/* Searches /proc for tables, once. */
void observer_search(struct observer *observer);
