#include "render/utilization_text.h"

#include "render/format.h"

/*
 * Errors of floating-point numbers, in percent: 0.07 * 100 is above 7, and 0.29 * 100 below 29.
 */
#define NOISE 1e-9

/* Of a number that is not negative; without libm, which no program here needs. */
static double round_down(double number)
{
	return (double)(int64_t)number;
}

static double round_up(double number)
{
	return round_down(number) + (round_down(number) < number);
}

/* Exact figures: 0 % and 100 % stand for nothing else. */
static void put_exact(struct buf *out, double percent)
{
	if (percent > 0 && percent < 0.5)
		buf_puts(out, "<1");
	else
		format_whole(out, percent < 100 ? MIN(percent, 99) : percent);
}

void utilization_put_percent(struct buf *out, const uint8_t why[static UTILIZATION_FIELDS],
			     const struct utilization *value, const char *unit, bool utf8)
{
	double percent = value->share * 100;

	if (why[UTIL_BOUND] != KNOWN || value->bound == BOUND_EXACT) {
		put_exact(out, percent);
	} else if (value->bound == BOUND_LOWER) {
		buf_puts(out, utf8 ? "≥" : ">=");
		format_whole(out, round_down(percent + NOISE));
	} else {
		buf_puts(out, utf8 ? "≤" : "<=");
		format_whole(out, round_up(MAX(percent - NOISE, 0)));
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
