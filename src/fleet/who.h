/*
 * Which users, jobs and pods use the devices of a fleet: a pure model, filled from the series
 * ttsmi_owner_* of all machines.
 */
#pragma once

#include "fleet/fleet.h"

/* The properties that distinguish owners, and their names in labels, JSON and CSV. */
enum owner_text {
	OWNED_KIND, /* "slurm", "pod", "container", "user", "unknown" */
	OWNED_USER,
	OWNED_SLURM_JOB,
	OWNED_SLURM_JOB_NAME,
	OWNED_NAMESPACE,
	OWNED_POD,
	OWNED_CONTAINER, /* not of pods, whose containers are added up */
	OWNED_TEXTS,
};

extern const char *const owned_labels[OWNED_TEXTS];

enum owned_value { OWNED_DEVICES, OWNED_DRAM, OWNED_QUIET, OWNED_VALUES };

extern const char *const owned_keys[OWNED_VALUES]; /* in JSON and CSV */

struct fleet_owner {
	char **texts;		     /* by enum owner_text; "": it has none */
	double values[OWNED_VALUES]; /* sums, of quiet times the shortest; NAN: unknown */
	size_t *machines;	     /* numbers of machines, each once after who_sort() */
	size_t n_machines;
};

struct who {
	struct fleet fleet; /* all machines, and those with owners */
	struct fleet_owner *owners;
	size_t count, room;
	struct hash_table by_texts; /* until they are sorted */
	size_t n_without;	    /* machines with jobs, but without series of owners */
};

void who_done(struct who *who);

/* Adds a value of an owner on a machine. -ENOMEM. */
MUST_CHECK int who_add(struct who *who, const char *const *texts, size_t machine,
		       enum owned_value which, double value);

/* By devices, then memory, then name. Call it once, when all values were added. */
void who_sort(struct who *who);

/* "slurm 812 (train)", "prod/llama (pod)", "container 0123"; "-" for a user's own processes. */
void owner_put_name(struct buf *out, const struct fleet_owner *owner);
