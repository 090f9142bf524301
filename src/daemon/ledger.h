/*
 * The allocations that a process reported through the legacy protocol, with their references, and
 * the resulting totals. No I/O and no clock.
 *
 * An allocation is identified by device, pool and id. A free subtracts the stored size, not that of
 * the message, so totals cannot become negative; a pool that would exceed TABLE_BYTES_MAX rejects
 * allocations, so totals cannot wrap.
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
	uint32_t through; /* number of the connection that reported it */
	uint8_t device, pool;
};

struct ledger_device {
	struct table_pool_total pool[POOL_COUNT];
};

struct ledger {
	struct hash_table entries;
	struct ledger_device *devices[TABLE_DEVICES]; /* NULL: not used */
	uint64_t misuse[TABLE_MISUSES];
	uint64_t ignored; /* ignored reports */
};

void ledger_done(struct ledger *ledger);

/* Number of allocations held. */
static inline uint32_t ledger_count(const struct ledger *ledger)
{
	return (uint32_t)ledger->entries.count;
}

/* The allocation at an index below entries.room; NULL: none. */
const struct ledger_entry *ledger_at(const struct ledger *ledger, size_t place);

/*
 * Adds an allocation, or a reference to a known one, and updates its size. Returns 1 if it is new,
 * 0 if it was known. -EOVERFLOW, -ENOMEM, and -ENOSPC (new, but limit allocations are held already)
 * are counted as ignored.
 */
MUST_CHECK int ledger_hold(struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id,
			   uint64_t size, uint64_t now_ns, uint32_t through, uint32_t limit);

/*
 * Drops one reference. Returns 1 if it was the last, 0 if not, -ENOENT (counted as ignored) if it
 * is unknown.
 */
int ledger_release(struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id,
		   uint64_t now_ns);

bool ledger_holds(const struct ledger *ledger, uint32_t device, enum pool pool, uint64_t id);

/* Counts an invalid report. */
void ledger_ignore(struct ledger *ledger);

/*
 * Counts an invalid report of memory that the process does hold: its totals on that device are too
 * low.
 */
void ledger_ignore_held(struct ledger *ledger, int32_t device);

/*
 * Drops all allocations reported through one connection, regardless of references. Returns their
 * number.
 */
uint32_t ledger_forget(struct ledger *ledger, uint32_t through, uint64_t now_ns);

/* Restores a saved entry without changing the totals. */
MUST_CHECK int ledger_restore_entry(struct ledger *ledger, const struct ledger_entry *entry);

/* Number of pools that were ever used, which is the maximum number of usage records. */
uint32_t ledger_count_usages(const struct ledger *ledger);

void ledger_list(const struct ledger *ledger, struct image_writer *writer);
