/*
 * The table of this process: made at the first report, and maintained by later ones. See process.c
 * for fork, exec and the like.
 */
#pragma once

#include "alloc/link.h"
#include "alloc/lock.h"
#include "alloc/tracker.h"
#include "basic/clock.h"
#include "proto/visible_devices.h"

#include <stdint.h>

enum phase {
	PHASE_NEW = 0, /* 0, as in memory that the kernel has zeroed */
	PHASE_READY,
	PHASE_OFF,
	PHASE_FAILED,
};

struct process_table {
	uint32_t phase; /* enum phase; leaves PHASE_NEW once, under the lock */
	struct lock lock;
	struct link link;
	struct tracker tracker;
	bool visible_known; /* `visible` is valid: set once, at the first device */
	struct visible_devices visible;
};

/* Without a system call, and three times faster than the exact time. */
static inline int64_t clock_coarse(void)
{
	return clock_now(CLOCK_MONOTONIC_COARSE);
}

/*
 * Flags of the table (enum table_flag). To be called before the first report, by code that is
 * linked with these objects: libttalloc does not export it.
 */
void process_set_flags(uint64_t flags);

/* The state of this process, in any phase; NULL: not even a page of memory for it. */
struct process_table *process_get(enum phase *ret_phase);

/* Adds a device to the table, with the card that its number usually means. -ENOSPC */
int process_add_device(struct process_table *process, uint32_t device);

static inline int process_prepare_device(struct process_table *process, uint32_t device)
{
	if (device >= TABLE_DEVICES || tracker_knows(&process->tracker, device))
		return 0; /* the tracker refuses and counts invalid numbers */
	return process_add_device(process, device);
}

/*
 * Removes the table for good, because its figures cannot be right. Monitors no longer find it,
 * and reports have no effect any more.
 */
void process_withdraw(void);

/* Checks the connection to the server. */
void process_look(struct process_table *process, int64_t now);

/* Takes the lock and the time; NULL if there is no table. */
static inline struct process_table *process_enter(int64_t *ret_now)
{
	enum phase phase;
	struct process_table *process = process_get(&phase);

	if (phase != PHASE_READY)
		return NULL;
	*ret_now = clock_coarse();
	lock_take(&process->lock);
	return process;
}

static inline void process_leave(struct process_table *process, int64_t now)
{
	lock_release(&process->lock);
	if (link_is_due(&process->link, now))
		process_look(process, now);
}
