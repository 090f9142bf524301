/*
 * The sampling thread. It takes a sample every second, slow values less often (low_rate of
 * struct want), and publishes it as an immutable record. Readers get the last record and never
 * cause a read; a read that hangs delays the next record, but no reader.
 */
#pragma once

#include "basic/macros.h"
#include "cli/session.h"
#include "model/owner_list.h"
#include "model/totals.h"
#include "serve/serve_options.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A sample that is served. Immutable, reference-counted. */
struct served_sample {
	atomic_uint refs;
	uint64_t number;	      /* from 1 */
	int64_t taken_ns;	      /* CLOCK_MONOTONIC, when it was complete */
	struct snapshot *snapshot;    /* NULL: there is nothing to show */
	struct device_counts *totals; /* of each of its devices */
	struct owner_list owners;     /* of its processes */
	uint64_t dropped;	      /* series that were left out of all records so far */
};

struct served_sample *
served_sample_unref(struct served_sample *record); /* takes NULL, returns NULL */

struct collector;

/* Starts sampling. The session must outlive the collector, and is used by it only. */
MUST_CHECK int collector_new(struct session *session, const struct serve_options *options,
			     struct collector **ret);

/* False: the thread is blocked in a read and still uses the session, which must not be closed. */
MUST_CHECK bool collector_free(struct collector *collector);

/* The last record, with a reference; NULL: there is none yet. */
struct served_sample *collector_latest(struct collector *collector);

/* Readable when there is a record that collector_latest() has not returned yet. */
int collector_fd(const struct collector *collector);
