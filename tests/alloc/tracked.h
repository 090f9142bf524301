/* For the tests of the tracker. */
#pragma once

#include "alloc/tracker.h"

#include <stdalign.h>
#include <stdlib.h>

/* For free(). Its devices begin cache lines, for which malloc() does not provide. */
static inline struct tracker *tracker_memory(void)
{
	return aligned_alloc(alignof(struct tracker), sizeof(struct tracker));
}
