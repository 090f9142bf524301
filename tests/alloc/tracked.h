/* For the tests of the tracker. */
#pragma once

#include "alloc/tracker.h"

#include <stdalign.h>
#include <stdlib.h>

/*
 * Memory for a tracker; release it with free(). Not from malloc(), since devices are cache-aligned.
 */
static inline struct tracker *tracker_memory(void)
{
	return aligned_alloc(alignof(struct tracker), sizeof(struct tracker));
}
