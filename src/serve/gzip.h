/* Compression of a whole body. */
#pragma once

#include "basic/buf.h"

/* Appends the text in the format of gzip(1); if memory runs out, *out has failed. */
void gzip_add(struct buf *out, const void *text, size_t length);
