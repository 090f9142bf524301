/*
 * What each owner of processes has of each device: a Slurm job, a container of a pod, another
 * container, or otherwise a user. Only jobs count, not monitors (model/role.h). Pure.
 *
 * The number of owners can be limited. They are then chosen round robin over the users, for each
 * user those with the most memory first, so that a user with many containers does not displace
 * others.
 */
#pragma once

#include "basic/macros.h"
#include "model/snapshot.h"

enum owner_kind {
	OWNER_SLURM,
	OWNER_POD,
	OWNER_CONTAINER,
	OWNER_USER,
	OWNER_UNKNOWN, /* the user is not known either */
	OWNER_KINDS,
};

extern const char *const owner_kind_names[OWNER_KINDS];

/* The pools whose memory is counted: those that the others are part of. */
enum { OWNER_POOLS = 2 };
extern const enum pool owner_pools[OWNER_POOLS];

/* An owner on a device. */
struct owner_use {
	size_t device; /* index in the snapshot */
	unsigned processes;
	uint64_t bytes[OWNER_POOLS];
	bool known[OWNER_POOLS]; /* of at least one of its processes */
};

struct owner_entry {
	enum owner_kind kind;
	const struct process *process; /* one of its processes, whose fields name it */
	struct owner_use *uses;	       /* by device */
	size_t n_uses;
	uint64_t bytes; /* DRAM on all devices */
	bool quiet_known;
	double quiet;	   /* seconds since the last of its processes did something */
	unsigned position; /* among the owners of its user, by memory */
};

/* Refers to the snapshot, which must outlive it. */
struct owner_list {
	struct owner_entry *list;
	size_t count;
	struct owner_use *uses;
	size_t dropped; /* series of the owners that were left out */
};

enum owner_kind owner_kind_of(const struct process *process);

/* Of a process in a pod: names, or ids if the names are unknown; NULL: neither is known. */
const char *owner_pod(const struct process *process);
const char *owner_container(const struct process *process);

/* Should the process count for its owner? */
bool owner_counts(const struct process *process);

MUST_CHECK int owner_list_make(const struct snapshot *snapshot, size_t limit,
			       struct owner_list *ret);
void owner_list_done(struct owner_list *list);
