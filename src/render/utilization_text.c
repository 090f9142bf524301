#include "render/utilization_text.h"

#include "render/format.h"
#include "render/rounding.h"

static enum rounding rounding_of(const uint8_t why[static UTILIZATION_FIELDS],
				 const struct utilization *value)
{
	if (why[UTIL_BOUND] != KNOWN || value->bound == BOUND_EXACT)
		return ROUND_NEAREST;
	return value->bound == BOUND_LOWER ? ROUND_DOWN : ROUND_UP;
}

double utilization_whole_percent(const uint8_t why[static UTILIZATION_FIELDS],
				 const struct utilization *value)
{
	enum rounding rounding = rounding_of(why, value);
	double whole = rounding_whole(value->share * 100, rounding);

	/* An exact figure of 100 % stands for nothing else. */
	return rounding == ROUND_NEAREST && value->share < 1 ? MIN(whole, 99) : whole;
}

void utilization_put_percent(struct buf *out, const uint8_t why[static UTILIZATION_FIELDS],
			     const struct utilization *value, const char *unit, bool utf8)
{
	enum rounding rounding = rounding_of(why, value);

	if (rounding == ROUND_NEAREST && value->share > 0 && value->share < 0.005) {
		buf_puts(out, "<1");
	} else {
		buf_puts(out, rounding_mark(rounding, utf8));
		format_whole(out, utilization_whole_percent(why, value));
	}
	buf_puts(out, unit);
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
		utilization_put_percent(out, why, value, "%", utf8);
	} else {
		buf_puts(out, "N/A");
	}
}
