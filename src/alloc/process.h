/*
 * The one table of this process: made at the first report, looked after as
 * reports come along. See process.c for fork, exec and the like.
 */
#pragma once

#include "alloc/link.h"
#include "alloc/lock.h"
#include "alloc/tracker.h"
#include "basic/clock.h"
#include "proto/visible_devices.h"

#include <stdint.h>

enum phase {
	PHASE_NEW = 0, /* what wiped memory says */
	PHASE_READY,
	PHASE_OFF,
	PHASE_FAILED,
};

struct process_table {
	uint32_t phase; /* enum phase; leaves PHASE_NEW once, under the lock */
	struct lock lock;
	struct link link;
	struct tracker tracker;
	bool visible_known; /* the next is filled: at the first device, once */
	struct visible_devices visible;
};

/* Without a system call, and three times cheaper than the exact time. */
static inline int64_t clock_coarse(void)
{
	return clock_now(CLOCK_MONOTONIC_COARSE);
}

/*
 * What the table shall say of its writer, of enum table_flag. Before the first report;
 * for who is linked with these objects, since libttalloc exports no such thing.
 */
void process_set_flags(uint64_t flags);

/* This process's state, whatever its phase; NULL if there is not even a page for it. */
struct process_table *process_get(enum phase *ret_phase);

/* Gives a device that was not heard of before the card it usually means. -ENOSPC */
int process_meet_device(struct process_table *process, uint32_t device);

static inline int process_prepare_device(struct process_table *process, uint32_t device)
{
	if (device >= TABLE_DEVICES || tracker_knows(&process->tracker, device))
		return 0; /* the tracker refuses, and counts, those that do not exist */
	return process_meet_device(process, device);
}

/*
 * Takes the table back for good, for who finds out that it cannot be right: who looks
 * for it finds none, and reports do nothing any more.
 */
void process_withdraw(void);

/* Looks after the connection. */
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
