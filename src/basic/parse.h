/*
 * Parses numbers and words. A number is parsed completely or not at all: leading blanks, trailing
 * characters and overflow are errors; one trailing newline is accepted, since kernel files end with
 * one. 0 or -EINVAL, -ERANGE; outputs are untouched on failure.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

MUST_CHECK int parse_u64(const char *text, uint64_t *ret);
MUST_CHECK int parse_u32(const char *text, uint32_t *ret);
MUST_CHECK int parse_i64(const char *text, int64_t *ret);

/* Hexadecimal digits, at most 16; parse_hex_prefixed() requires a leading "0x". */
MUST_CHECK int parse_hex(const char *text, uint64_t *ret);
MUST_CHECK int parse_hex_prefixed(const char *text, uint64_t *ret);

/* The digits at *text, which is moved behind them; base is 10 or 16. */
MUST_CHECK int parse_leading(const char **text, unsigned base, uint64_t *ret);

/* Is the word of the given length in the list, which is separated by blanks? list may be NULL. */
bool parse_has_word(const char *list, const char *word, size_t length);
