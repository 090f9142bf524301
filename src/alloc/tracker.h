/*
 * The allocations of a process, kept in its table.
 *
 * The tracker is the only writer of the table; the seals of the memfd enforce that. It keeps the
 * figures in private memory and publishes each change. It has no lock, no clock and no connection:
 * process.c has those.
 *
 * Allocations are kept in slots. Those in the table are used first. When they are full, slots in
 * private memory, right behind them in the address space, keep the totals right without being
 * listed.
 */
#pragma once

#include "alloc/index.h"
#include "basic/macros.h"
#include "proto/table.h"

#include <stddef.h>
#include <stdint.h>

#define TRACKER_FREED 1024u /* frees remembered, to tell a double one from an unknown one */

/* A range of slots with a free list. */
struct slot_range {
	uint32_t used;	/* slots from here on were never used */
	uint32_t ready; /* slots from here on have no memory yet */
	uint32_t end;
	uint32_t free; /* slot number + 1 of the first in the free list */
};

struct tracker {
	struct table_header *header; /* start of the mapping */
	struct table_device_cell *devices;
	struct table_slot *slots;
	size_t mapped; /* bytes */
	struct slot_range listed;
	struct slot_range unlisted;
	uint64_t unlisted_held;
	struct index index;
	uint64_t device[TABLE_DEVICES][TABLE_DEVICE_WORDS];
	uint64_t pool[TABLE_DEVICES][POOL_COUNT][TABLE_POOL_WORDS];
	uint64_t misuse[TABLE_MISUSES];
	uint64_t freed[TRACKER_FREED]; /* hashes of keys */
};

/*
 * Makes a table with this number of listed and unlisted slots, and seals it. The caller owns the
 * descriptor. There are fewer slots if the resource limits of the process require it. -errno if
 * there can be no table. The flags are those of enum table_flag.
 */
MUST_CHECK int tracker_init(struct tracker *tracker, uint32_t listed, uint32_t unlisted,
			    uint64_t flags, uint64_t now, int *ret_fd);
void tracker_done(struct tracker *tracker);

/* Results as in ttalloc.h. Times are CLOCK_MONOTONIC ns. The device must be identified. */
int tracker_alloc(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t id,
		  uint64_t size, uint64_t now);
int tracker_free(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t id,
		 uint64_t now);

/*
 * The same for a caller that keeps its own list of allocations: one allocation on several devices
 * (a bit each), which takes a slot per device and no entry in the index. Returns a handle for
 * tracker_drop(), 0 if it could not be counted on any device. Sizes are above 0, pools and devices
 * exist.
 */
uint32_t tracker_hold(struct tracker *tracker, uint64_t devices, uint32_t pool, uint64_t id,
		      uint64_t size, uint64_t now);
void tracker_drop(struct tracker *tracker, uint32_t held, uint64_t now);

int tracker_failure(struct tracker *tracker, uint32_t device, uint32_t pool);

void tracker_set_program(struct tracker *tracker, const char *name);

/* Was this device, below TABLE_DEVICES, identified, even if its card is unknown? */
static inline int tracker_knows(const struct tracker *tracker, uint32_t device)
{
	return (tracker->header->devices >> device & 1) != 0;
}

/*
 * Records which card a device is. What the program states is accumulated, and replaces what was
 * assumed. -ENOSPC if there is no memory for the device.
 */
int tracker_identify(struct tracker *tracker, uint32_t device, const struct table_device *card);
