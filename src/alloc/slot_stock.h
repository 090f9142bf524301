/*
 * The supply of slots. Each device has a stock of its own, so that threads that use different
 * devices share no cache line. A stock is filled from a range that all devices share and, when that
 * is used up, from the stocks of other devices.
 */
#pragma once

#include "alloc/lock.h"
#include "proto/table.h"

#include <stdbool.h>
#include <stdint.h>

#define SLOT_NONE UINT32_MAX

/* Slots that no device has taken yet. */
struct slot_range {
	struct lock lock;
	uint32_t used; /* slots from here on were never taken */
	uint32_t end;
	uint64_t *published; /* `used` for readers of the table; NULL: these slots are not listed */
};

/* Free slots of one device. Words that another device may look at are accessed atomically. */
struct slot_stock {
	uint32_t next, end; /* a run of slots that were never used */
	uint32_t free;	/* number + 1 of a free slot, which has the next one in its id; 0: none */
	uint32_t taken; /* from the range */
};

static inline bool stock_is_empty(const struct slot_stock *stock)
{
	return __atomic_load_n(&stock->free, __ATOMIC_RELAXED) == 0 &&
	       __atomic_load_n(&stock->next, __ATOMIC_RELAXED) ==
		       __atomic_load_n(&stock->end, __ATOMIC_RELAXED);
}

/* A free slot of the stock, SLOT_NONE if it is empty. The caller has the lock of its device. */
static inline uint32_t stock_take(struct slot_stock *stock, const struct table_slot *slots)
{
	uint32_t slot = stock->free;

	if (slot) {
		__atomic_store_n(&stock->free, (uint32_t)slots[slot - 1].id, __ATOMIC_RELAXED);
		return slot - 1;
	}
	slot = stock->next;
	if (slot == stock->end)
		return SLOT_NONE;
	__atomic_store_n(&stock->next, slot + 1, __ATOMIC_RELAXED);
	return slot;
}

/* Returns a slot that is free: readers do not look at its id. */
static inline void stock_give_back(struct slot_stock *stock, struct table_slot *slots,
				   uint32_t slot)
{
	__atomic_store_n(&slots[slot].id, stock->free, __ATOMIC_RELAXED);
	__atomic_store_n(&stock->free, slot + 1, __ATOMIC_RELAXED);
}

/* Moves slots from the range to an empty stock. False: none is left, or no memory for them. */
bool stock_refill(struct slot_stock *stock, struct slot_range *range, struct table_slot *slots);
