/*
 * Sources fill the model, one file per source. sources.c lists them in the order in which they are
 * called; each sees the results of the earlier ones.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"
#include "model/merge.h"
#include "model/snapshot.h"
#include "model/want.h"
#include "source/process_clocks.h"
#include "source/shm.h"

#include <stdint.h>

struct card;

/* A snapshot under construction. */
struct sample {
	const struct root *root;
	struct shm_folder *shm; /* that of the root */
	struct process_clocks *clocks;
	struct want *want; /* the sampler's; what has to be added counts for later samples, too */
	struct worker_pool *workers;
	int64_t deadline_ns; /* for one job */
	struct card **cards; /* of the first source, for: */
	size_t n_cards;	     /* source/used_cards.c */
	struct snapshot *snapshot;
	struct memory_report *reports; /* with their lists */
	size_t n_reports;
	size_t n_allocations; /* in all lists so far */
	bool tracer_checked;  /* by the first source that needs: */
	bool is_traced;	      /* the tracer's folder exists */
	bool lacks_ids;	      /* files or chip numbers can only be matched with the chips' ids */
	struct job **early;   /* see sample_expect() */
	size_t n_early;
	/* Set by sample(): the source does not exist on this machine, or was not needed. */
	bool absent;
};

/* Maximum number of allocations in one snapshot: 128 MB. Beyond it lists are truncated. */
enum { SAMPLE_ALLOCATIONS = 4 << 20 };

struct source {
	const char *name;
	int (*open)(const struct root *root, void **ret_state);
	int (*prepare)(void *state, struct sample *sample); /* before all samples; may be NULL */
	int (*sample)(void *state, struct sample *sample);  /* -errno: it has no data */
	void (*close)(void *state, struct worker_pool *workers);
};

extern const struct source source_kmd, source_holders, source_deaths, source_daemon,
	source_used_cards, source_proc, source_visible, source_tables, source_traced,
	source_metal_shm, source_dispatch, source_util_shm, source_dra;

/* In the order in which they are called; NULL at the end. */
extern const struct source *const sources[];

/*
 * From prepare(): a job that sample() is going to need, as far as can be told from the last sample.
 * It is run together with those of the first source, so that all of them are handed to a worker at
 * once. sample() asks job_is_done(): the job may not have been run.
 */
MUST_CHECK int sample_expect(struct sample *sample, struct job *job);

/* Takes ownership of the report's list, also on failure. */
MUST_CHECK int sample_report(struct sample *sample, const struct memory_report *report);

/*
 * The same for a part of a process's memory: added to an earlier report at or after `first` for
 * the same device and of the same origin, if there is one.
 */
MUST_CHECK int sample_report_part(struct sample *sample, size_t first,
				  const struct memory_report *report);

/* A list to report, empty and known. NULL: no list was requested, or out of memory. */
struct allocation_list *sample_list(const struct sample *sample);

/* Adds to a list of this sample. False: the limit of the snapshot is reached, or out of memory. */
bool sample_list_add(struct sample *sample, struct allocation_list *list,
		     const struct allocation *allocation);

void sample_done(struct sample *sample);
