/*
 * The memory monitor: used and total memory per pool with bars, its history, the processes that use
 * it, and the largest and oldest allocations.
 */
#pragma once

#include "basic/buf.h"
#include "model/want.h"
#include "render/mem_view.h"
#include "render/render_options.h"

void mem_wants(struct want *want);
void mem_render(struct buf *out, const struct render_options *options, const struct mem_view *view);

/*
 * The same as JSON (docs/mem-schema.json). The document can be larger than memory: drain, which may
 * be NULL, is called repeatedly to consume the output so far.
 */
void mem_json_render(struct buf *out, const struct render_options *options,
		     const struct mem_view *view, bool pretty,
		     void (*drain)(struct buf *out, void *arg), void *arg);
