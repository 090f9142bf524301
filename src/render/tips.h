/*
 * Tips: what the user can do about memory that is unknown on the screen, with the command as it was
 * called. Nothing if nothing helps.
 */
#pragma once

#include "basic/buf.h"
#include "model/snapshot.h"
#include "render/render_options.h"

void tips_put(struct buf *out, const struct render_options *options,
	      const struct snapshot *snapshot);
