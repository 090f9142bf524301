/*
 * The table of this process: created by the first report, updated by later ones. process.c explains
 * what happens on fork, exec, dlclose and exit.
 */
#pragma once

#include "alloc/link.h"
#include "alloc/lock.h"
#include "alloc/tracker.h"
#include "basic/clock.h"
#include "proto/visible_devices.h"

#include <stdint.h>

enum phase {
	PHASE_NEW = 0, /* must be 0: the kernel zeroes the state in a forked child */
	PHASE_READY,
	PHASE_OFF,
	PHASE_FAILED,
};

/* Lock order: that of a device, that of the process, that of the cards. */
struct process_table {
	uint32_t phase; /* enum phase; leaves PHASE_NEW once, under the lock */
	struct lock lock;
	struct lock cards; /* protects `visible` */
	struct link link;
	struct tracker tracker;
	bool visible_known; /* `visible` is valid: set once, at the first device */
	struct visible_devices visible;
};

/* Through the vDSO, and three times faster than the precise clock. */
static inline int64_t clock_coarse(void)
{
	return clock_now(CLOCK_MONOTONIC_COARSE);
}

/*
 * Flags of the table (enum table_flag). To be called before the first report, by code that is
 * linked with these objects: libttalloc does not export it.
 */
void process_set_flags(uint64_t flags);

/* The state of this process, in any phase; NULL: out of memory. */
struct process_table *process_get(enum phase *ret_phase);

/* Adds a device to the table, with the card that its number refers to by default. -ENOSPC */
int process_add_device(struct process_table *process, uint32_t device);

static inline int process_prepare_device(struct process_table *process, uint32_t device)
{
	if (device >= TABLE_DEVICES || tracker_knows(&process->tracker, device))
		return 0; /* the tracker rejects and counts invalid numbers */
	return process_add_device(process, device);
}

/*
 * Removes the table permanently, because its figures cannot be right. Monitors no longer find it,
 * and later reports have no effect.
 */
void process_withdraw(void);

/* Checks the connection to the server. */
void process_check_link(struct process_table *process, int64_t now);

static inline void process_look_if_due(struct process_table *process, int64_t now)
{
	if (link_is_due(&process->link, now))
		process_check_link(process, now);
}

/* Takes the lock of the process and reads the clock; NULL if there is no table. */
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
	process_look_if_due(process, now);
}

/* The same for a report about one device, with its lock. Accepts any number. */
static inline struct process_table *process_enter_device(uint32_t device, int64_t *ret_now)
{
	enum phase phase;
	struct process_table *process = process_get(&phase);

	if (phase != PHASE_READY)
		return NULL;
	*ret_now = clock_coarse();
	lock_take(&process->tracker.devices[device % TABLE_DEVICES].lock);
	return process;
}

static inline void process_leave_device(struct process_table *process, uint32_t device, int64_t now)
{
	lock_release(&process->tracker.devices[device % TABLE_DEVICES].lock);
	process_look_if_due(process, now);
}
