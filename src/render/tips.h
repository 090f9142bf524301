/* What a person could do about what is missing. */
#pragma once

#include "basic/buf.h"
#include "model/snapshot.h"
#include "render/render_options.h"

void tips_put(struct buf *out, const struct render_options *options,
	      const struct snapshot *snapshot);
