/* What the memory monitor shows: a snapshot, and the store of the samples up to it. */
#pragma once

#include "model/history.h"

struct mem_view {
	const struct snapshot *snapshot;
	const struct history *history;
	unsigned period_ms; /* between samples; 0: there is only one */
};
