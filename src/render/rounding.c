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

double rounding_whole(double number, enum rounding rounding)
{
	const double whole = 1e15; /* numbers from here on have next to no digits after the point */
	double below, rest;

	if (!(number >= 0 && number < whole)) /* also true for NAN */
		return number;
	below = (double)(uint64_t)(number + (rounding == ROUND_NEAREST ? 0 : NOISE));
	rest = number - below;
	switch (rounding) {
	case ROUND_DOWN: return below;
	case ROUND_UP: return below + (rest > NOISE);
	case ROUND_NEAREST: break;
	}
	return below + (rest > 0.5 || (rest == 0.5 && (uint64_t)below % 2 == 1));
}

void rounding_put_percent(struct buf *out, double share, unsigned digits, enum rounding rounding)
{
	if (digits)
		format_tenths(out, rounding_whole(share * 1000, rounding) / 10);
	else
		format_whole(out, rounding_whole(share * 100, rounding));
}
