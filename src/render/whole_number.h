/*
 * Rounds numbers that are not negative so that a bound stays true; without libm, which no program
 * here needs.
 */
#pragma once

#include <stdint.h>

/* Errors of floating-point numbers: 0.07 * 100 is above 7, and 0.29 * 100 below 29. */
#define ROUNDING_NOISE 1e-9

static inline double round_down(double number)
{
	return (double)(uint64_t)(number + ROUNDING_NOISE);
}

static inline double round_up(double number)
{
	double below = (double)(uint64_t)number;

	return below + (number - below > ROUNDING_NOISE);
}

/* Ties to even. */
static inline double round_to_nearest(double number)
{
	double below = (double)(uint64_t)number, rest = number - below;

	return below + (rest > 0.5 || (rest == 0.5 && (uint64_t)number % 2 == 1));
}
