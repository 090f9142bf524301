/*
 * What a process holds, by its messages in the legacy protocol: every
 * allocation with its references, and totals that follow from them. No I/O and
 * no clock.
 *
 * An allocation is known by device, pool and id. A free gives back what was
 * stored, never what the message says, so no total can fall below zero; a pool
 * that would exceed TABLE_BYTES_MAX takes nothing more, so none can wrap.
 */
#pragma once

#include "basic/hash_table.h"
#include "basic/macros.h"
#include "proto/snapshot_image.h"
#include "proto/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ledger_entry {
	uint64_t id;
	uint64_t size; /* never 0 */
	uint64_t time_ns;
	uint32_t references;
	uint32_t through; /* connection that made it */
	uint8_t device, pool;
};

struct ledger_device {
	struct table_pool_total pool[POOL_COUNT];
};

struct ledger {
	struct hash_table entries;
	struct ledger_device *devices[TABLE_DEVICES]; /* NULL: never used */
	uint64_t misuse[TABLE_MISUSES];
	uint64_t ignored; /* reports that could not be accounted for */
};

void ledger_done(struct ledger *ledger);

/* How many allocations it holds. */
static inline uint32_t ledger_count(const struct ledger *ledger)
{
	return (uint32_t)ledger->entries.count;
}

/* The allocation at a place below entries.room. NULL: none. */
const struct ledger_entry *ledger_at(const struct ledger *ledger, size_t place);

/*
 * Holds an allocation, or one more reference to it, with the size it has now.
 * Returns 1 if it is new, 0 if it was known; -EOVERFLOW and -ENOMEM are counted
 * as misuse, and so is -ENOSPC: new, but no more than limit may be held.
 */
MUST_CHECK int ledger_hold(struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id,
			   uint64_t size, uint64_t now_ns, uint32_t through, uint32_t limit);

/* Gives back one reference. 1 if it was the last, 0 if not, -ENOENT (counted) if unknown. */
int ledger_release(struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id,
		   uint64_t now_ns);

bool ledger_holds(const struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id);

/* Counts a report that makes no sense. */
void ledger_ignore(struct ledger *ledger);

/* The same of memory that the process has all the same: its totals on that device are too low. */
void ledger_ignore_held(struct ledger *ledger, int32_t device);

/* Forgets what one connection made, whatever its references. Returns how many. */
uint32_t ledger_forget(struct ledger *ledger, uint32_t through, uint64_t now_ns);

/* An entry as it was, without a change of totals: for a ledger that was written down. */
MUST_CHECK int ledger_put_back(struct ledger *ledger, const struct ledger_entry *entry);

/* Pools that were ever used; at most one record each. */
uint32_t ledger_count_usages(const struct ledger *ledger);

void ledger_list(const struct ledger *ledger, struct image_writer *writer);
