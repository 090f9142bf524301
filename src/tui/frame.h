/*
 * One sample as the screen gets it, or the reason why there is none. A frame is shared by
 * reference counting and never changes.
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
	/* Returns 0 and a snapshot, or an exit code and a sentence that is valid until the
	 * next call. */
	int (*take)(void *arg, const struct want *want, const struct snapshot *before,
		    struct snapshot **ret, const char **ret_problem);
};

struct frame {
	atomic_uint refs;
	struct snapshot *snapshot; /* NULL: there is nothing to show */
	char *problem;		   /* then the reason; NULL if there was no memory for it */
	int code;		   /* and its exit code */
	struct want want;	   /* what was asked for */
	bool first;		   /* devices only: the rest follows at once */
	int64_t taken_ns;	   /* CLOCK_MONOTONIC, when it was complete */
};

void frame_unref(struct frame *frame); /* takes NULL */
