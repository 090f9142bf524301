#include "tui/frame.h"

#include <stdlib.h>

void frame_unref(struct frame *frame)
{
	/* The thread that drops the last reference sees what the others did before. */
	if (!frame || atomic_fetch_sub_explicit(&frame->refs, 1, memory_order_acq_rel) > 1)
		return;
	snapshot_free(frame->snapshot);
	free(frame->problem);
	free(frame);
}
