/*
 * The share of time in which a chip was busy: exact, a lower or an upper bound. Pure functions,
 * without clock and files.
 *
 * The figure is for a window of about a second. It is exact if every launched program is known:
 * launches were counted from the start of the process, each program has a number and a record, and
 * nothing else was launched. Otherwise it is a lower bound. Programs of one command queue run one
 * after the other, so while some are unfinished, the window ends where the last finished one did,
 * if that is less than a second ago.
 */
#pragma once

#include "metal/program_launch.h"
#include "metal/program_series.h"
#include "metal/program_stream.h"

#define PROGRAM_WINDOW_NS 1000000000LL

enum program_bound { PROGRAM_EXACT, PROGRAM_LOWER, PROGRAM_UPPER };

/* Launches of a process, if they are counted. */
struct program_launches {
	bool are_followed;    /* they are counted since the start of the process */
	bool are_pending;     /* the host has not learned yet that all of them have finished */
	uint64_t count;	      /* programs for command queue 0, outside of traces */
	uint64_t count_after; /* the same when the records had been read */
	int64_t uncounted_ns; /* the last launch of anything else: a trace, on another queue, or
				 without fast dispatch; 0: none */
	int64_t newest_ns;    /* the last launch */
	int64_t oldest_ns;    /* launch of the oldest unfinished program, if are_pending */
};

/*
 * What the state of a process and of a chip's queue says, for judging the chip. queue is NULL if
 * the host has not used one, stream if the chip has no records; missed: launches whose records
 * cannot be in the stream. are_followed is left to the caller, and so is a later count_after.
 */
void program_launches_describe(struct program_launches *ret,
			       const struct program_launch_state *state,
			       const struct program_queue_state *queue,
			       const struct program_stream *stream, uint64_t missed);

struct program_figure {
	bool is_known;
	int64_t busy, window; /* ns */
	int64_t to;	      /* end of the window */
	enum program_bound bound;
	uint64_t programs; /* number that ended within the window */
	int64_t running;   /* ns since the oldest unfinished program was launched; 0: none */
	int64_t last;	   /* ns since the last program ended; -1: not known */
};

/*
 * now: when the launches were looked up, before the records were read. So the records of all that
 * had finished by then are there, and some that were launched later may be.
 */
void program_figure_judge(struct program_figure *ret, const struct program_stream *stream,
			  const struct program_launches *launches, int64_t now);

/*
 * For a chip without records: it may be busy from the first launch until the host learns of the end
 * of the last program. busy: the part of the window, which ends now, for which that was so. If that
 * is 0, so is the true figure.
 */
void program_figure_upper(struct program_figure *ret, const struct program_launches *launches,
			  int64_t busy, int64_t window, int64_t now);

/* A process on a chip. */
struct program_user {
	struct program_figure figure;
	const struct program_intervals *busy; /* NULL: it has no records */
	bool is_coarse;			      /* accurate to the length of a step of a series */
};

/*
 * The union over all processes on one chip. It is exact if all figures are, an upper bound if the
 * others are upper bounds, else a lower bound from the figures that are known. Of coarse times, two
 * bounds are known: it is exact if they differ by at most 1 %, and then their mean. If the windows
 * have less than half a second in common, it is the largest share. has_others: further processes
 * use the chip, and nothing is known about their programs.
 */
void program_figure_join(struct program_figure *ret, const struct program_user *users, size_t count,
			 bool has_others);
