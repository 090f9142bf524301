#include "tui/frame.h"

#include <malloc.h>
#include <stdlib.h>

/* Freeing this many processes is worth a malloc_trim(): otherwise malloc keeps the memory. */
enum { MANY_PROCESSES = 256 };

/* Does this snapshot hold the last reference to many processes, its own or borrowed ones? */
static bool frees_many(const struct snapshot *snapshot)
{
	return snapshot && snapshot->n_processes >= MANY_PROCESSES &&
	       (!snapshot->lender || atomic_load(&snapshot->lender->refs) == 1);
}

void frame_unref(struct frame *frame)
{
	bool many;

	/* Acquire and release: the thread that frees the frame sees all accesses of the others. */
	if (!frame || atomic_fetch_sub_explicit(&frame->refs, 1, memory_order_acq_rel) > 1)
		return;
	many = frees_many(frame->snapshot);
	snapshot_free(frame->snapshot);
	free(frame->problem);
	free(frame);
	if (many)
		malloc_trim(0);
}
