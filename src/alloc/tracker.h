/*
 * What a process holds, kept in its table.
 *
 * The tracker is the table's only writer, and the seals see to it. It keeps the
 * figures in memory of its own and publishes each change as it is made. It has
 * no lock, no clock and no connection: process.c has those.
 *
 * Allocations are kept in slots. Those in the table come first; when they are
 * taken, others in private memory, right behind them in the address space, keep
 * the totals right without being listed.
 */
#pragma once

#include "alloc/index.h"
#include "basic/macros.h"
#include "proto/table.h"

#include <stddef.h>
#include <stdint.h>

#define TRACKER_FREED 1024u /* frees remembered, to tell a double one from an unknown one */

/* A range of slots, handed out one by one and then again as they come back. */
struct slot_range {
	uint32_t used;	/* slots from here on were never handed out */
	uint32_t ready; /* slots from here on have no memory yet */
	uint32_t end;
	uint32_t free; /* slot number + 1 of the first one that came back */
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
 * Makes a table with room for so many listed slots, and for so many more
 * unlisted ones, and seals it. The descriptor is the caller's. Less room is
 * made if the limits of the process ask for it. -errno if there can be none.
 * The flags are those of enum table_flag.
 */
MUST_CHECK int tracker_init(struct tracker *tracker, uint32_t listed, uint32_t unlisted,
			    uint64_t flags, uint64_t now, int *ret_fd);
void tracker_done(struct tracker *tracker);

/* Results as in ttalloc.h. Times are CLOCK_MONOTONIC ns. A device is identified before. */
int tracker_alloc(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t id,
		  uint64_t size, uint64_t now);
int tracker_free(struct tracker *tracker, uint32_t device, uint32_t pool, uint64_t id,
		 uint64_t now);

/*
 * The same for who remembers by itself what is held: one allocation on several devices (a
 * bit each), which takes a slot per device and no place in the index. Returns what to drop
 * it by, 0 if it could be counted nowhere. Sizes are above 0, pools and devices exist.
 */
uint32_t tracker_hold(struct tracker *tracker, uint64_t devices, uint32_t pool, uint64_t id,
		      uint64_t size, uint64_t now);
void tracker_drop(struct tracker *tracker, uint32_t held, uint64_t now);

int tracker_failure(struct tracker *tracker, uint32_t device, uint32_t pool);

void tracker_set_program(struct tracker *tracker, const char *name);

/* Was this device, below TABLE_DEVICES, identified, be it as unknown? */
static inline int tracker_knows(const struct tracker *tracker, uint32_t device)
{
	return (tracker->header->devices >> device & 1) != 0;
}

/*
 * Says which card it is: what the program states adds up, and replaces what was
 * assumed. -ENOSPC if the device cannot be kept in mind at all.
 */
int tracker_identify(struct tracker *tracker, uint32_t device, const struct table_device *card);
