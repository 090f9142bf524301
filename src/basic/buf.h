/*
 * A text buffer that grows. An allocation error is sticky: append without checks, check once at the
 * end. A failed buffer contains no text.
 */
#pragma once

#include "basic/macros.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
	char *data; /* NUL-terminated once something was appended */
	size_t length;
	size_t size;
	bool failed;
};

#define CLEANUP_BUF CLEANUP(buf_done)

void buf_add(struct buf *b, const void *data, size_t length);
void buf_puts(struct buf *b, const char *text);
void buf_fill(struct buf *b, char c, size_t times);

/* The same for a text, as a character of several bytes. */
void buf_repeat(struct buf *b, const char *text, size_t times);
void buf_printf(struct buf *b, const char *format, ...) PRINTF(2, 3);
void buf_vprintf(struct buf *b, const char *format, va_list ap) PRINTF(2, 0);
void buf_reset(struct buf *b); /* empties it, keeps the memory */
void buf_fit(struct buf *b);   /* releases unused memory */
void buf_done(struct buf *b);

/* Inline, since most text is written byte by byte. */
static inline void buf_putc(struct buf *b, char c)
{
	if (b->size - b->length < 2) {
		buf_add(b, &c, 1);
		return;
	}
	b->data[b->length++] = c;
	b->data[b->length] = '\0';
}

/* The text; "" if nothing was appended or memory ran out. */
static inline const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}
