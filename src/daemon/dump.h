/* A snapshot image as text for people: memory per card, pool and process. */
#pragma once

#include "basic/buf.h"
#include "proto/snapshot_image.h"

#include <stdbool.h>
#include <sys/types.h>

/* Control characters in names are replaced. Long lists of allocations are cut, with a note. */
void dump_write(const struct image_view *view, pid_t requester, bool kernels, struct buf *out);
