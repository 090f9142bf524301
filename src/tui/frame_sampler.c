#include "tui/frame_sampler.h"

#include "basic/clock.h"
#include "model/reuse.h"

#include <stdlib.h>
#include <string.h>

void frame_sampler_done(struct frame_sampler *sampler)
{
	frame_unref(sampler->last);
	sampler->last = NULL;
}

/* Are the processes of the last frame recent enough for this one? */
static bool may_reuse(const struct frame_sampler *sampler, const struct want *want)
{
	return reuse_is_due(sampler->last ? sampler->last->snapshot : NULL, &sampler->asked, want,
			    clock_now(CLOCK_MONOTONIC));
}

/*
 * The first frame has neither counters nor heartbeats, of which only differences between samples
 * are shown, nor chip ids, which are needed to find the files of processes.
 */
static void want_first(struct want *want)
{
	reuse_want_devices(want);
	fieldset_remove(&want->device, DEV_HEARTBEAT);
	fieldset_remove(&want->device, DEV_ASIC_ID);
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		fieldset_remove(&want->device, DEV_COUNTER + i);
}

static void sample(struct frame_sampler *sampler, const struct want *want, struct frame *frame)
{
	const struct sample_source *source = sampler->source;
	const char *problem = NULL;

	frame->code =
		source->take(source->arg, want, sampler->last ? sampler->last->snapshot : NULL,
			     &frame->snapshot, &problem);
	if (frame->code && problem)
		frame->problem = strdup(problem);
	frame->taken_ns = clock_now(CLOCK_MONOTONIC);
}

/* Reads devices and reuses the rest. False: the rest has to be read too. */
static bool sample_devices(struct frame_sampler *sampler, struct want want, struct frame *frame)
{
	reuse_want_devices(&want);
	sample(sampler, &want, frame);
	if (!frame->snapshot || snapshot_borrow(frame->snapshot, sampler->last->snapshot))
		return true;
	frame->snapshot = snapshot_free(frame->snapshot);
	return false;
}

static void keep(struct frame_sampler *sampler, struct frame *frame)
{
	frame_unref(sampler->last);
	sampler->last = frame;
}

struct frame *frame_sampler_take(struct frame_sampler *sampler, const struct want *asked)
{
	struct frame *frame = calloc(1, sizeof(*frame));
	struct want want = *asked;

	if (!frame)
		return NULL;
	frame->refs = 2; /* the sampler's and the caller's */
	frame->want = want;
	frame->first = !sampler->last;
	if (frame->first) {
		want_first(&want);
		sample(sampler, &want, frame);
	} else if (!may_reuse(sampler, &want) || !sample_devices(sampler, want, frame)) {
		sampler->asked = want;
		sample(sampler, &want, frame);
	}
	keep(sampler, frame);
	return frame;
}

void frame_sampler_prepare(struct frame_sampler *sampler)
{
	struct frame *frame = calloc(1, sizeof(*frame));

	if (!frame)
		return;
	frame->refs = 1;
	if (sampler->last && sampler->last->snapshot &&
	    sample_devices(sampler, sampler->asked, frame) && frame->snapshot)
		keep(sampler, frame);
	else
		frame_unref(frame);
}

void frame_sampler_expire(struct frame_sampler *sampler)
{
	sampler->asked = (struct want){ 0 };
}
