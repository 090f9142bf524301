#include "basic/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Room for `more` bytes and a NUL. */
static bool buf_reserve(struct buf *b, size_t more)
{
	size_t size = b->size ? b->size : 256;
	char *data;

	if (b->failed)
		return false;
	if (more < b->size - b->length)
		return true;
	if (more > SIZE_MAX / 4 || b->length > SIZE_MAX / 4)
		goto fail;
	while (size - b->length <= more)
		size *= 2;
	data = realloc(b->data, size);
	if (!data)
		goto fail;
	b->data = data;
	b->size = size;
	return true;

fail:
	buf_done(b);
	b->failed = true;
	return false;
}

void buf_add(struct buf *b, const void *data, size_t length)
{
	if (!buf_reserve(b, length))
		return;
	if (length)
		memcpy(b->data + b->length, data, length);
	b->length += length;
	b->data[b->length] = '\0';
}

void buf_puts(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_fill(struct buf *b, char c, size_t times)
{
	if (!buf_reserve(b, times))
		return;
	memset(b->data + b->length, c, times);
	b->length += times;
	b->data[b->length] = '\0';
}

void buf_repeat(struct buf *b, const char *text, size_t times)
{
	size_t length = strlen(text), bytes, done;
	char *at;

	if (__builtin_mul_overflow(length, times, &bytes))
		bytes = SIZE_MAX;
	if (!buf_reserve(b, bytes))
		return;
	at = b->data + b->length;
	done = MIN(length, bytes);
	memcpy(at, text, done);
	for (; done < bytes; done += MIN(done, bytes - done)) /* doubles what is there */
		memcpy(at + done, at, MIN(done, bytes - done));
	b->length += bytes;
	b->data[b->length] = '\0';
}

/*
 * Tries to append within the existing memory. Returns -1 on success, else the number of bytes
 * needed.
 */
static PRINTF(2, 0) int buf_try_printf(struct buf *b, const char *format, va_list ap)
{
	size_t room;
	int n;

	if (!buf_reserve(b, 63)) /* usually enough */
		return -1;
	room = b->size - b->length;
	n = vsnprintf(b->data + b->length, room, format, ap);
	if (n >= 0 && (size_t)n < room)
		b->length += (size_t)n;
	else
		b->data[b->length] = '\0';
	return n >= 0 && (size_t)n >= room ? n : -1;
}

void buf_vprintf(struct buf *b, const char *format, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = buf_try_printf(b, format, ap);
	if (n >= 0 && buf_reserve(b, (size_t)n))
		(void)buf_try_printf(b, format, again);
	va_end(again);
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprintf(b, format, ap);
	va_end(ap);
}

void buf_reset(struct buf *b)
{
	b->length = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

void buf_fit(struct buf *b)
{
	char *data = b->data ? realloc(b->data, b->length + 1) : NULL;

	if (!data)
		return;
	b->data = data;
	b->size = b->length + 1;
}

void buf_done(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}
