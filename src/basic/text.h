/*
 * Makes foreign text (process names, card strings) safe to show.
 *
 * It must not contain terminal control sequences, and its width must be known. Control characters,
 * invalid bytes and characters that reorder or hide their neighbours are each replaced by one
 * visible character.
 */
#pragma once

#include "basic/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes one character. Returns its length in bytes, 0 if the bytes are not UTF-8 (overlong forms,
 * surrogates and anything beyond U+10FFFF are rejected).
 */
size_t utf8_decode(const char *text, size_t length, uint32_t *ret);
void utf8_encode(struct buf *out, uint32_t c);

/* Is it safe to send this character to a terminal? */
bool text_is_plain(uint32_t c);

/* Appends text with each unsafe character replaced; ASCII only if !utf8. */
void text_clean(struct buf *out, const char *text, size_t length, bool utf8);

/*
 * The same without a copy: decodes the next character. Returns the number of bytes consumed, at
 * least one, with the clean character and its width in columns.
 */
size_t text_next(const char *text, size_t length, bool utf8, uint32_t *ret, size_t *ret_width);

/*
 * Is this text clean, and of printable ASCII, drawings and degrees only, as most of our own is?
 * Sets its width in columns. False does not mean the opposite.
 */
bool text_is_simple(const char *text, size_t length, bool utf8, size_t *ret_width);

/* Width of clean text in columns. Depends on LC_CTYPE, like the terminal. */
size_t text_width(const char *text, size_t length);

/* Number of bytes of clean text that fit into the given columns, never part of a character. */
size_t text_fit(const char *text, size_t length, size_t columns);

/* Copies as much as fits, NUL-terminated. */
void text_copy(char *to, size_t room, const char *from);
