/*
 * Is a device free for a job? Monitors (model/role.h) do not occupy it. A pure function of the
 * snapshot, which needs its processes and their roles.
 */
#pragma once

#include "model/snapshot.h"
#include "model/want.h"

enum occupancy {
	OCCUPANCY_FREE,
	OCCUPANCY_JOB,	   /* a job has it open */
	OCCUPANCY_UNSEEN,  /* a process that is not visible has it open */
	OCCUPANCY_UNKNOWN, /* the processes that have it open are unknown: see holders_why */
};

/* The fields that occupancy_of() needs. */
void occupancy_wants(struct want *want);

/* ret_job, if not NULL, is the first job of OCCUPANCY_JOB, else NULL. */
enum occupancy occupancy_of(const struct snapshot *snapshot, size_t device,
			    const struct process **ret_job);

/*
 * Is a device prepared for a claim of Kubernetes, but held by no process? *ret is set only if both
 * are known.
 */
bool occupancy_is_unused_claim(const struct snapshot *snapshot, size_t device, bool *ret);
