/*
 * Decides what is read for each frame: the first one has devices only, so that the screen is drawn
 * early; with want.low_rate, processes are read once a second and reused from the last frame in
 * between. Used by the sampler thread only.
 */
#pragma once

#include "tui/frame.h"

struct frame_sampler {
	const struct sample_source *source;
	struct frame *last; /* for rates and reused processes; one reference */
	struct want asked;  /* what the last sample with processes was asked for */
};

void frame_sampler_done(struct frame_sampler *sampler);

/* The next frame with one reference; NULL: out of memory. The sampler keeps another. */
struct frame *frame_sampler_take(struct frame_sampler *sampler, const struct want *want);

/* Reads devices for the rates of the next frame; this sample is not shown. */
void frame_sampler_prepare(struct frame_sampler *sampler);

/* The next frame reads processes again, however recent the last ones are. */
void frame_sampler_expire(struct frame_sampler *sampler);
