/*
 * Takes snapshots: calls the sources in order, then merges their reports. Between samples it keeps
 * descriptors, constants, and reads that hang.
 */
#pragma once

#include "basic/root.h"
#include "model/snapshot.h"
#include "source/source.h"

struct sampler;

/* The periods between samples that a user may choose. Macros, since texts contain the numbers. */
#define REFRESH_MS_LEAST   100
#define REFRESH_MS_MOST	   60000
#define REFRESH_MS_DEFAULT 1000

/*
 * Uses the sources of a NULL-terminated list, in this order; sources[] has all of them. The root
 * must outlive the sampler: a hanging read may still use it.
 */
MUST_CHECK int sampler_new(const struct root *root, const struct want *want,
			   const struct source *const *list, struct sampler **ret);
struct sampler *sampler_free(struct sampler *sampler);

/* Its pool, which runs the reads that may hang. */
struct worker_pool *sampler_workers(struct sampler *sampler);

/* Does a read still hang? Then the root must be kept, even after the sampler is freed. */
bool sampler_is_blocked(struct sampler *sampler);

/* Sets the fields to read from the next snapshot on. */
void sampler_want(struct sampler *sampler, const struct want *want);

/* How long one read may take, instead of half a second. */
void sampler_set_deadline(struct sampler *sampler, int64_t deadline_ns);

/*
 * Returns the results of the sources before merging: a snapshot without memory, and memory reports.
 * The caller owns both. -errno as below.
 */
MUST_CHECK int sampler_collect(struct sampler *sampler, struct snapshot **ret,
			       struct memory_report **ret_reports, size_t *ret_count);

/*
 * Takes a snapshot. before is needed for rates and may be NULL. -errno only if there is nothing to
 * show: no class directory (-ENOENT), unreadable, out of memory.
 */
MUST_CHECK int sampler_take(struct sampler *sampler, const struct snapshot *before,
			    struct snapshot **ret);
