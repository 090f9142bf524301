#include "render/utilization_text.h"

#include "render/format.h"

const char *utilization_bound_mark(const uint8_t why[static UTILIZATION_FIELDS],
				   const struct utilization *value, bool utf8)
{
	if (why[UTIL_BOUND] != KNOWN || value->bound == BOUND_EXACT)
		return "";
	if (value->bound == BOUND_LOWER)
		return utf8 ? "≥" : ">=";
	return utf8 ? "≤" : "<=";
}

/* "12s", "5m", "30h", "9d": at most two digits below 100 days. */
static void put_short_span(struct buf *out, double seconds)
{
	if (seconds < 99.5)
		buf_printf(out, "%.0fs", seconds);
	else if (seconds < 99.5 * 60)
		buf_printf(out, "%.0fm", seconds / 60);
	else if (seconds < 99.5 * 3600)
		buf_printf(out, "%.0fh", seconds / 3600);
	else
		buf_printf(out, "%.0fd", seconds / 86400);
}

void utilization_put(struct buf *out, const uint8_t why[static UTILIZATION_FIELDS],
		     const struct utilization *value, bool utf8)
{
	if (utilization_is_running(why, value)) {
		buf_puts(out, "run ");
		put_short_span(out, value->running);
	} else if (why[UTIL_SHARE] == KNOWN) {
		buf_puts(out, utilization_bound_mark(why, value, utf8));
		format_whole(out, value->share * 100);
		buf_putc(out, '%');
	} else {
		buf_puts(out, "N/A");
	}
}
