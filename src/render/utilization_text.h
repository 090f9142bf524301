/* Compute utilisation as short text, for the printed table and the full screen alike. */
#pragma once

#include "basic/buf.h"
#include "model/utilization.h"

#include <stdbool.h>

/* The mark before a share that is a bound: "≥", "<="; "" if it is exact or its bound is unknown. */
const char *utilization_bound_mark(const uint8_t why[static UTILIZATION_FIELDS],
				   const struct utilization *value, bool utf8);

/*
 * "85%", "≥70%"; "run 12s" while a program runs and none ended in the last second; "N/A". At most 7
 * characters.
 */
void utilization_put(struct buf *out, const uint8_t why[static UTILIZATION_FIELDS],
		     const struct utilization *value, bool utf8);
