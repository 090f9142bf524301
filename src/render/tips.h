/* What a person could do about what is missing. */
#pragma once

#include "basic/buf.h"
#include "model/snapshot.h"
#include "render/look.h"

void tips_put(struct buf *out, const struct look *look, const struct snapshot *snapshot);
