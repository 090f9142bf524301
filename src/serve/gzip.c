#include "serve/gzip.h"

#include <limits.h>
#include <zlib.h>

/* Windows of 32 KB, and 16 for gzip's header instead of zlib's; the default use of memory. */
enum { WINDOW_BITS = 15 + 16, MEMORY_LEVEL = 8 };

/*
 * Metrics of many devices are 1.5 % larger than at zlib's default level, which takes half as long
 * again. A longer text, such as an hour of many devices, is compressed less but faster, since other
 * clients wait meanwhile.
 */
enum { LEVEL = 5, LONG_TEXT = 256 << 10 };

void gzip_add(struct buf *out, const void *text, size_t length)
{
	z_stream stream = { .next_in = (Bytef *)text, .avail_in = (uInt)length };
	unsigned char piece[16384];
	int level = length > LONG_TEXT ? Z_BEST_SPEED : LEVEL, r;

	if (length > UINT_MAX || deflateInit2(&stream, level, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL,
					      Z_DEFAULT_STRATEGY)) {
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
