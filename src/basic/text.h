/*
 * Text from elsewhere (process names, card strings), made safe to show.
 *
 * A terminal must not obey it, a table must know its width. Control characters,
 * invalid bytes and characters that reorder or hide their neighbours become one
 * visible mark each.
 */
#pragma once

#include "basic/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads one character. Returns its length in bytes, 0 if the bytes are not
 * UTF-8 (overlong forms, surrogates and anything beyond U+10FFFF are not).
 */
size_t utf8_decode(const char *text, size_t length, uint32_t *ret);
void utf8_encode(struct buf *out, uint32_t c);

/* May this character be sent to a terminal as it is? */
bool text_is_plain(uint32_t c);

/* Appends text with a mark for each unsafe character; ASCII only if !utf8. */
void text_clean(struct buf *out, const char *text, size_t length, bool utf8);

/*
 * The same without a copy: decodes the next character, and returns the number of bytes that it
 * replaces, at least one, with the clean character and its width in columns.
 */
size_t text_next(const char *text, size_t length, bool utf8, uint32_t *ret, size_t *ret_width);

/* Columns that clean text takes. Follows LC_CTYPE, as the terminal does. */
size_t text_width(const char *text, size_t length);

/* Bytes of clean text that fit into so many columns, never half a character. */
size_t text_fit(const char *text, size_t length, size_t columns);

/* Copies as much of it as there is room for, with a NUL. */
void text_copy(char *to, size_t room, const char *from);
