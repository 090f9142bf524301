/*
 * What the host knows about the time at which programs ran, whatever the chip's clock says: a
 * program starts after its launch, and has ended when its record has arrived, or when an event
 * behind it is completed. These limits are certain, however late the host notices something.
 *
 * If a clock is within narrow limits at two times, it has not drifted by more than their width
 * in between: so the time of programs between them is known as accurately.
 */
#pragma once

#include "metal/program_clock.h"
#include "metal/program_launch.h"

/* A batch of records, in the order in which they were sent, that arrived between two times. */
struct program_batch {
	struct program_record *records;
	size_t count;
	uint64_t lost; /* number of records before it that were overwritten */
	int64_t since, now;
	/* NULL: launches are not followed since the process started. */
	const struct program_launch_state *launches;
	const struct program_queue_state *queue; /* of the chip; NULL: none is known */
	uint64_t missed; /* launches before the first record of the stream */
};

/* The limits of the clock by a batch that is not empty. number: the ordinal of its last program. */
void program_limits_find(struct program_limits *ret, const struct program_clock *clock,
			 const struct program_batch *batch, uint64_t number);

/* How accurate the clock is, and was at earlier times, since it was set. */
struct program_drift {
	unsigned settings; /* of the clock */
	int64_t period;	   /* of about a second */
	int64_t error;	   /* of the newest batch; PROGRAM_UNKNOWN */
	int64_t least;	   /* the least error in this period, */
	int64_t before;	   /* in the previous one, */
	int64_t earlier;   /* and before that */
};

void program_drift_init(struct program_drift *drift, unsigned settings);

/* A batch whose last program ended at `end` has these limits; the clock was moved before. */
void program_drift_add(struct program_drift *drift, const struct program_limits *limits,
		       int64_t moved, int64_t end);

/* By how much the clock may have drifted in the second before the newest batch. */
int64_t program_drift_get(const struct program_drift *drift);
