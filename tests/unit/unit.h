/* Included by every unit test: cmocka, and a few additional checks. */
#pragma once

#include "basic/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TEST(name) static void name(void **state __attribute__((unused)))

#define assert_near(a, b) assert_true((a) - (b) < 1e-9 && (b) - (a) < 1e-9)

/* Reproducible numbers: xorshift64*, seeded by the test. */
static inline uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(2685821657736338717);
}

static inline unsigned random_below(uint64_t *seed, unsigned limit)
{
	return (unsigned)(random_next(seed) >> 33) % limit;
}
