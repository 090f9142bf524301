/* Compute utilisation as short text, for the printed table and the full screen alike. */
#pragma once

#include "basic/buf.h"
#include "model/utilization.h"

#include <stdbool.h>

/*
 * A known share in whole percent, rounded so that the figure is true: a lower bound down, an upper
 * bound up. Of exact shares (and those whose bound is not known) only 1 is 100.
 */
double utilization_whole_percent(const uint8_t why[static UTILIZATION_FIELDS],
				 const struct utilization *value);

/* The same as text; exact shares below 0.5 %, which are not 0, are "<1%". unit: "%" or " %". */
void utilization_put_percent(struct buf *out, const uint8_t why[static UTILIZATION_FIELDS],
			     const struct utilization *value, const char *unit, bool utf8);

/*
 * "85%", "≥70%"; "run 12s" while a program runs and none ended in the last second; "N/A". At most 7
 * characters.
 */
void utilization_put(struct buf *out, const uint8_t why[static UTILIZATION_FIELDS],
		     const struct utilization *value, bool utf8);
