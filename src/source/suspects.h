/*
 * Those who are said to have a device open, each examined by its descriptors and
 * mappings where we may look.
 *
 * Examinations are jobs, since a descriptor on a file server that is gone can hang
 * one. Whoever is low_rate has them remembered from sample to sample, so that a process in
 * which nothing changed is not looked at again.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/macros.h"
#include "source/lists.h"
#include "source/source.h"
#include "source/fd_scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct suspect {
	struct job job;
	const struct fd_scan *scan;
	int32_t pid;
	bool is_listed;
	struct open_devices listed;   /* devices whose lists it is on */
	bool late;		      /* it hangs: what follows is the job's */
	struct open_devices expected; /* as listed */
	int error;		      /* of looking at its descriptors */
	struct fd_scan_cache known;   /* devices it really has open */
};

struct suspects {
	const struct fd_scan *scan;
	struct suspect **list; /* by pid; with those of earlier samples that hang */
	size_t count;
};

/* Examines those listed, by pid. Between two fd_scan_begin(). */
MUST_CHECK int suspects_examine(struct suspects *suspects, struct sample *sample,
				const struct listing *listings, size_t count);

/* NULL: not listed. */
const struct suspect *suspects_find(const struct suspects *suspects, int32_t pid);

enum verdict { HOLDS, MAY_HOLD, DOES_NOT };

/* Has it that device open? The suspect may be NULL. */
enum verdict suspect_judge(const struct suspect *suspect, const struct root *root, uint32_t index);

/* Frees all but those whose job hangs; false if there are such, who use the walk. */
bool suspects_done(struct suspects *suspects, struct worker_pool *workers);
