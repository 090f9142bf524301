#include "alloc/slot_stock.h"

#include "alloc/memory.h"
#include "basic/macros.h"
#include "basic/seqlock.h"

/* Slots that a stock gets at a time: a page at first, then as many as it had, up to 64 KiB. */
#define STEP_MIN 128u
#define STEP_MAX 2048u

/* A reader may touch slots as soon as they count as used, so they get memory first. */
static bool range_take(struct slot_range *range, struct table_slot *slots, uint32_t step)
{
	if (step == 0 || !memory_prepare(&slots[range->used], step * sizeof(*slots)))
		return false;
	range->used += step;
	if (range->published)
		word_store(range->published, range->used);
	return true;
}

bool stock_refill(struct slot_stock *stock, struct slot_range *range, struct table_slot *slots)
{
	uint32_t step = MIN(MAX(STEP_MIN, stock->taken), STEP_MAX);
	bool taken;

	lock_take(&range->lock);
	step = MIN(step, range->end - range->used);
	taken = range_take(range, slots, step);
	if (taken) {
		stock->taken += step;
		__atomic_store_n(&stock->next, range->used - step, __ATOMIC_RELAXED);
		__atomic_store_n(&stock->end, range->used, __ATOMIC_RELAXED);
	}
	lock_release(&range->lock);
	return taken;
}
