/*
 * Processes change slowly: with want.low_rate they are read once a second, and samples in between
 * read devices only and share the processes of the last one (snapshot_borrow()).
 */
#pragma once

#include "model/snapshot.h"
#include "model/want.h"

/*
 * May the next sample, for which this is wanted, share the processes of the last one (NULL: none)?
 * asked: what the last sample with processes was asked for.
 */
bool reuse_is_due(const struct snapshot *last, const struct want *asked, const struct want *want,
		  int64_t now_ns);

/* What such a sample is asked for. */
void reuse_want_devices(struct want *want);
