/*
 * The allocations of a process, stored in its table.
 *
 * The tracker is the only writer of the table; the seals of the memfd enforce that. It keeps the
 * figures in private memory and publishes each change. It has no clock and no connection: process.c
 * has those.
 *
 * Each device has figures, index and slots of its own. A caller holds the lock of the device that
 * it reports for, so that threads with different devices do not wait for each other, or one lock
 * for all calls. The tracker itself only takes the locks of what devices share.
 *
 * Allocations are stored in slots. Slots of the table, which monitors list, are used first. When
 * they are full, slots in private memory, directly after them in the address space, are used: such
 * allocations are part of the totals, but are not listed.
 */
#pragma once

#include "alloc/index.h"
#include "alloc/lock.h"
#include "alloc/slot_stock.h"
#include "basic/macros.h"
#include "proto/table.h"

#include <stddef.h>
#include <stdint.h>

#define TRACKER_FREED \
	1024u /* number of recent frees, to distinguish double frees from unknown ones */

/* Aligned to a cache line, so that devices share none. */
struct tracker_device {
	_Alignas(64) struct lock lock;
	struct slot_stock listed;
	struct slot_stock unlisted;
	struct index index;
	uint64_t *freed; /* hashes of keys, [TRACKER_FREED] */
	uint64_t card[TABLE_DEVICE_WORDS];
	uint64_t pool[POOL_COUNT][TABLE_POOL_WORDS];
};

struct tracker {
	struct table_header *header; /* start of the mapping */
	struct table_device_cell *cells;
	struct table_slot *slots;
	uint32_t *links; /* per slot: the next slot of the same tracker_hold(), number + 1 */
	size_t mapped;	 /* bytes */
	struct slot_range listed;
	struct slot_range unlisted;
	struct tracker_device devices[TABLE_DEVICES];
};

/*
 * Creates a table with this number of listed and unlisted slots, and seals it. The caller owns the
 * descriptor. There are fewer slots if the resource limits of the process require it. -errno if
 * there can be no table. The flags are those of enum table_flag.
 */
MUST_CHECK int tracker_init(struct tracker *tracker, uint32_t listed, uint32_t unlisted,
			    uint64_t flags, uint64_t now, int *ret_fd);
void tracker_done(struct tracker *tracker);

/*
 * Results are those of ttalloc.h. Times are CLOCK_MONOTONIC ns. tracker_identify() must have been
 * called for a valid device number; an invalid one is rejected and counted.
 */
int tracker_alloc(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t id,
		  uint64_t size, uint64_t now);
int tracker_free(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t id,
		 uint64_t now);

/*
 * The same for a caller that keeps its own list of allocations: one allocation on several devices
 * (one bit each), which takes a slot per device and no entry in the index. Returns a handle for
 * tracker_drop(), 0 if it could not be counted on any device. Sizes must be above 0, pools and
 * devices valid.
 */
uint32_t tracker_hold(struct tracker *tracker, uint64_t devices, uint32_t pool, uint64_t id,
		      uint64_t size, uint64_t now);
void tracker_drop(struct tracker *tracker, uint32_t held, uint64_t now);

int tracker_failure(struct tracker *tracker, uint32_t device, uint32_t pool);

void tracker_set_program(struct tracker *tracker, const char *name);

/* Was tracker_identify() called for this device? The number must be below TABLE_DEVICES. */
static inline int tracker_knows(const struct tracker *tracker, uint32_t device)
{
	return (word_load(&tracker->header->devices) >> device & 1) != 0;
}

/*
 * Records which card a device is. Statements of the program are accumulated, and replace
 * assumptions. -ENOSPC if there is no memory for the device.
 */
int tracker_identify(struct tracker *tracker, uint32_t device, const struct table_device *card);
