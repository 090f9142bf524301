#include "serve/gzip.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

/* Windows of 32 KB, and 16 for gzip's header instead of zlib's. */
enum { WINDOW_BITS = 15 + 16 };

/*
 * A block has codes of its own. Metrics of many devices are 4 % smaller if a block begins with a
 * family of metrics, since digits of counters, or the same few labels, are most of a family; a
 * block that is shorter than this costs more for its codes than it saves. This memory level has
 * room for the 2,048 symbols of a block, and takes 120 KB less than the default one.
 */
enum { BLOCK_BYTES = 6000, LEVEL = 7, MEMORY_LEVEL = 5 };
static const char family[] = "\n# TYPE ";

/*
 * A longer text, such as an hour of many devices, is compressed less but faster, since other
 * clients wait meanwhile.
 */
enum { LONG_TEXT = 256 << 10, LONG_LEVEL = Z_BEST_SPEED, LONG_MEMORY_LEVEL = 8 };

/* Up to the first family of metrics that may begin the next block. */
static size_t block_length(const char *text, size_t length)
{
	const char *end = NULL;

	if (length > BLOCK_BYTES)
		end = memmem(text + BLOCK_BYTES, length - BLOCK_BYTES, family, strlen(family));
	return end ? (size_t)(end + 1 - text) : length;
}

static void put_block(struct buf *out, z_stream *stream, const char *text, size_t length, int flush)
{
	unsigned char piece[16384];

	stream->next_in = (Bytef *)text;
	stream->avail_in = (uInt)length;
	do {
		stream->next_out = piece;
		stream->avail_out = sizeof(piece);
		(void)deflate(stream, flush); /* without room it goes on in the next call */
		buf_add(out, piece, sizeof(piece) - stream->avail_out);
	} while (stream->avail_out == 0);
}

void gzip_add(struct buf *out, const void *text, size_t length)
{
	const bool is_long = length > LONG_TEXT;
	const char *rest = text;
	z_stream stream = { 0 };
	size_t count;

	if (length > UINT_MAX ||
	    deflateInit2(&stream, is_long ? LONG_LEVEL : LEVEL, Z_DEFLATED, WINDOW_BITS,
			 is_long ? LONG_MEMORY_LEVEL : MEMORY_LEVEL, Z_DEFAULT_STRATEGY)) {
		out->failed = true;
		return;
	}
	for (; (count = block_length(rest, length)) < length; rest += count, length -= count)
		put_block(out, &stream, rest, count, Z_BLOCK);
	put_block(out, &stream, rest, length, Z_FINISH);
	deflateEnd(&stream);
}
