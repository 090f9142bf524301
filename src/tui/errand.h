/* What people ask for besides looking: see feed.h. Run by the sampler thread. */
#pragma once

#include "tui/feed.h"

/* Appends what came of it, one sentence or a text of lines. */
void errand_run(const struct errand *errand, const struct root *root, struct buf *ret);
