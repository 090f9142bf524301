#include "serve/gzip.h"

#include <limits.h>
#include <zlib.h>

/* Windows of 32 KB, and 16 for gzip's header instead of zlib's. */
enum { WINDOW_BITS = 15 + 16 };

/*
 * Metrics of many devices are 1.5 % larger than at zlib's default level, which takes half as long
 * again. At this memory level, blocks have 1,024 symbols: each family of metrics has codes of its
 * own, which saves 1 to 2 %.
 */
enum { LEVEL = 5, MEMORY_LEVEL = 4 };

/*
 * A longer text, such as an hour of many devices, is compressed less but faster, since other
 * clients wait meanwhile.
 */
enum { LONG_TEXT = 256 << 10, LONG_LEVEL = Z_BEST_SPEED, LONG_MEMORY_LEVEL = 8 };

void gzip_add(struct buf *out, const void *text, size_t length)
{
	z_stream stream = { .next_in = (Bytef *)text, .avail_in = (uInt)length };
	unsigned char piece[16384];
	const bool is_long = length > LONG_TEXT;
	int r;

	if (length > UINT_MAX ||
	    deflateInit2(&stream, is_long ? LONG_LEVEL : LEVEL, Z_DEFLATED, WINDOW_BITS,
			 is_long ? LONG_MEMORY_LEVEL : MEMORY_LEVEL, Z_DEFAULT_STRATEGY)) {
		out->failed = true;
		return;
	}
	do {
		stream.next_out = piece;
		stream.avail_out = sizeof(piece);
		r = deflate(&stream, Z_FINISH);
		buf_add(out, piece, sizeof(piece) - stream.avail_out);
	} while (r == Z_OK || r == Z_BUF_ERROR);
	deflateEnd(&stream);
}
