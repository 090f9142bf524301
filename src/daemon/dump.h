/* A snapshot image as lines for people: what is held, per card, pool and process. */
#pragma once

#include "basic/buf.h"
#include "proto/snapshot_image.h"

#include <stdbool.h>
#include <sys/types.h>

/* Names are cleaned. Lists of more than a few thousand allocations are cut, and say so. */
void dump_write(const struct image_view *view, pid_t asker, bool kernels, struct buf *out);
