/*
 * Takes snapshots: asks the sources in turn, then merges. Kept between samples:
 * descriptors, what does not change, and reads that hang.
 */
#pragma once

#include "basic/root.h"
#include "model/snapshot.h"
#include "source/source.h"

struct sampler;

/*
 * Asks the sources of a list that ends with NULL, in this order; sources[] has all of them. The
 * root must outlive it: a read that hangs may still use it.
 */
MUST_CHECK int sampler_new(const struct root *root, const struct want *want,
			   const struct source *const *list, struct sampler **ret);
struct sampler *sampler_free(struct sampler *sampler);

/* Does a read still hang? Then the root must stay, even after the sampler is freed. */
bool sampler_is_blocked(struct sampler *sampler);

/* From the next snapshot on these fields are read too. */
void sampler_want(struct sampler *sampler, const struct want *want);

/* How long one read may take, instead of half a second. */
void sampler_set_deadline(struct sampler *sampler, int64_t deadline_ns);

/*
 * What the sources say, before it is merged: a snapshot without memory, and reports of it. Both are
 * the caller's. -errno as below.
 */
MUST_CHECK int sampler_collect(struct sampler *sampler, struct snapshot **ret,
			       struct memory_report **ret_reports, size_t *ret_count);

/*
 * One snapshot. before, for rates, may be NULL. -errno only if there is nothing to
 * show at all: no class directory (-ENOENT), not readable, out of memory.
 */
MUST_CHECK int sampler_take(struct sampler *sampler, const struct snapshot *before,
			    struct snapshot **ret);
