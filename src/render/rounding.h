/*
 * A figure that is a bound is marked, and rounded so that it stays true: a lower bound down, an
 * upper bound up.
 */
#pragma once

#include "basic/buf.h"

#include <stdbool.h>

enum rounding {
	ROUND_NEAREST, /* a complete figure */
	ROUND_DOWN,    /* a lower bound */
	ROUND_UP,      /* an upper bound */
};

/* "≥", "≤"; "" for a complete figure. */
const char *rounding_mark(enum rounding rounding, bool utf8);

/*
 * To a whole number, from one that is not negative. The nearest: a tie to the even one. Without
 * libm, which no program here needs.
 */
double rounding_whole(double number, enum rounding rounding);

/*
 * A share, which is not negative, in percent, with at most one digit after the point; without mark
 * and unit.
 */
void rounding_put_percent(struct buf *out, double share, unsigned digits, enum rounding rounding);
