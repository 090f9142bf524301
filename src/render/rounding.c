#include "render/rounding.h"

#include "basic/macros.h"
#include "render/format.h"

#include <stdint.h>

/* Errors of floating-point numbers: 0.07 * 100 is above 7, and 0.29 * 100 below 29. */
#define NOISE 1e-9

const char *rounding_mark(enum rounding rounding, bool utf8)
{
	switch (rounding) {
	case ROUND_DOWN: return utf8 ? "≥" : ">=";
	case ROUND_UP: return utf8 ? "≤" : "<=";
	case ROUND_NEAREST: break;
	}
	return "";
}

/* To a whole number; without libm, which no program here needs. */
static double apply(double number, enum rounding rounding)
{
	const double whole = 1e15; /* numbers from here on have next to no digits after the point */
	double below;

	if (!(number > -whole && number < whole))
		return number;
	below = (double)(int64_t)(number + NOISE);
	switch (rounding) {
	case ROUND_DOWN: return below;
	case ROUND_UP: return below + (below < number - NOISE);
	case ROUND_NEAREST: break;
	}
	return number;
}

void rounding_put_percent(struct buf *out, double share, unsigned digits, enum rounding rounding)
{
	if (digits)
		format_tenths(out, apply(share * 1000, rounding) / 10);
	else
		format_whole(out, apply(share * 100, rounding));
}
