/* Decimal digits of a number, without the cost of printf(). */
#pragma once

#include <stdint.h>

enum { DIGITS_SIZE = 21 }; /* those of the largest number, and a NUL */

/* Writes them with a NUL. Returns their end. */
char *digits_put(char *at, uint64_t number);
