/*
 * One sample for the screen, or the error that prevented it. Immutable and reference-counted, since
 * the sampler thread and the drawing thread use it at the same time.
 */
#pragma once

#include "basic/root.h"
#include "model/snapshot.h"
#include "model/want.h"

#include <stdatomic.h>
#include <stdint.h>

/* Where snapshots come from; used by the sampler thread only. */
struct sample_source {
	void *arg;
	const struct root *root;
	/*
	 * Returns 0 and a snapshot, or an exit code and a sentence that is valid until the
	 * next call.
	 */
	int (*take)(void *arg, const struct want *want, const struct snapshot *before,
		    struct snapshot **ret, const char **ret_problem);
};

struct frame {
	atomic_uint refs;
	struct snapshot *snapshot; /* NULL: there is nothing to show */
	char *problem;		   /* why there is no snapshot; NULL also if memory was short */
	int code;		   /* exit code for that problem */
	struct want want;	   /* the fields that were requested */
	bool first;		   /* has devices only; the next frame follows at once */
	int64_t taken_ns;	   /* CLOCK_MONOTONIC, when it was complete */
};

void frame_unref(struct frame *frame); /* takes NULL */
