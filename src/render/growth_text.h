/* How the memory of a process changed while it was watched, in words. */
#pragma once

#include "basic/buf.h"
#include "model/growth.h"
#include "render/style.h"

/* "grew 1.2GB in 5 min, 0 frees: leak?"; brief: "+1.2GB in 5 min: leak?". Returns its style. */
enum style growth_put(struct buf *out, const struct series *series, bool brief);
