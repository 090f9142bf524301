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
	bool are_settled;     /* those from before the count have finished on the chip */
	bool are_pending;     /* the host has not learned yet that all of them have finished */
	uint64_t count;	      /* programs for command queue 0, outside of traces */
	uint64_t count_after; /* the same when the records had been read */
	int64_t uncounted_ns; /* the last launch of anything else: a trace, on another queue, or
				 without fast dispatch; 0: none */
	int64_t newest_ns;    /* the last launch */
	int64_t oldest_ns;    /* launch of the oldest unfinished program, if are_pending */
};

/*
 * Fills *ret from the state of a process and of a chip's queue. queue is NULL if the host has not
 * used one, stream if the chip has no records; missed: launches whose records cannot be in the
 * stream. The caller sets are_followed, and count_after if it reads the launches again later.
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
 * now: when the launches were read, which is before the records were read. So the stream has the
 * records of all programs that had finished by then, and may have some of later launches.
 */
void program_figure_judge(struct program_figure *ret, const struct program_stream *stream,
			  const struct program_launches *launches, int64_t now);

/*
 * For a chip without records: it may be busy while a launched program is not known to have
 * finished. busy: for how long that was so within the window, which ends now. If it is 0, the chip
 * was idle.
 */
void program_figure_upper(struct program_figure *ret, const struct program_launches *launches,
			  int64_t busy, int64_t window, int64_t now);

/* The samples of a chip from which upper bounds are computed: those of the last second. */
enum { PROGRAM_SAMPLES = 8 };

struct program_upper {
	struct {
		int64_t ns;
		uint64_t busy_ns; /* at least, of the queue by then */
	} samples[PROGRAM_SAMPLES];
	unsigned count; /* made so far; the newest is at (count - 1) modulo the size */
};

/*
 * Fills *ret with the bound for the last second, or since the first sample; leaves it if this is
 * the first one. now: when the launches were read, which is before the queue was read.
 */
void program_upper_add(struct program_upper *upper, const struct program_launch_state *state,
		       const struct program_queue_state *queue,
		       const struct program_launches *launches, int64_t now,
		       struct program_figure *ret);

/* A process on a chip. */
struct program_user {
	struct program_figure figure;
	const struct program_intervals *busy; /* NULL: it has no records */
	bool is_coarse;			      /* accurate to the length of a step of a series */
};

/*
 * The union over all processes on one chip. It is exact if all figures are, an upper bound if the
 * others are upper bounds, else a lower bound from the figures that are known. Coarse times give a
 * lower and an upper bound of the union: if these differ by at most 1 %, their mean counts as
 * exact, otherwise the lower bound is used. If the windows have less than half a second in common,
 * it is the largest share of one process. has_others: further processes use the chip, and nothing
 * is known about their programs.
 */
void program_figure_join(struct program_figure *ret, const struct program_user *users, size_t count,
			 bool has_others);
