/* The input of the memory monitor: a snapshot, and the samples up to it. */
#pragma once

#include "model/history.h"

struct mem_view {
	const struct snapshot *snapshot;
	const struct history *history;
	unsigned period_ms; /* between samples; 0: a single sample */
};
