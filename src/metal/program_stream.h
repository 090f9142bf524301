/*
 * The programs of one process on one chip, as TT-Metal's profiler recorded them: times in which the
 * chip was busy, and whether records are missing.
 *
 * TT-Metal numbers the programs of a process consecutively, except within traces. A record has the
 * low 16 bits of the number.
 */
#pragma once

#include "metal/program_evidence.h"
#include "metal/program_intervals.h"

/* How long intervals are kept, more than the longest window. */
#define PROGRAM_KEPT_NS 2000000000LL

enum { PROGRAM_MARKS = 16 };

/* How many records there were when a batch was read. */
struct program_mark {
	int64_t ns;
	uint64_t n_records;
};

struct program_stream {
	struct program_clock clock;
	struct program_intervals busy;
	struct program_mark marks[PROGRAM_MARKS];
	unsigned n_marks; /* number made so far; the newest is at (n_marks - 1) modulo the size */
	uint64_t n_records;
	uint64_t n_advanced; /* by how much the number has grown since the first record */
	uint16_t last_id;
	int64_t faulty_ns;  /* when a record was last found missing, numbers repeated, as by a
			       trace, or programs overlapping; 0: never */
	int64_t begun_ns;   /* when reading began: earlier programs are not known */
	int64_t last_end;   /* of the newest program; begun_ns: none yet */
	int64_t arrived_ns; /* when its record had arrived; 0: none yet */
	int64_t drift_ns; /* by how much the clock may have drifted in the second before its end, */
	int64_t set_back_ns; /* and by how much it was set back at least since then */
	struct program_drift drift;
};

void program_stream_init(struct program_stream *stream, int64_t now);
void program_stream_done(struct program_stream *stream);

/* A program that ended at this tick was known to the host at ns: see program_clock_follow(). */
void program_stream_arrive(struct program_stream *stream, uint64_t tick, int64_t ns);

/*
 * The limits of the clock by a batch, to which it is moved if it is a little outside. An empty
 * batch has none.
 */
void program_stream_look(struct program_stream *stream, const struct program_batch *batch,
			 struct program_limits *ret);

/*
 * Adds a batch. Invalid records are skipped and count as missing. False: the clock is not known at
 * the moment; nothing was added.
 */
bool program_stream_add(struct program_stream *stream, const struct program_batch *batch);

/* The same if the clock is known to be right: it is not adjusted. */
void program_stream_put(struct program_stream *stream, const struct program_batch *batch);

/* The number of programs since the first record, computed from their numbers. */
uint64_t program_stream_seen(const struct program_stream *stream);

/* Are all numbered programs since `from` known? */
bool program_stream_is_complete(const struct program_stream *stream, int64_t from);

/* The approximate number of programs that ended between the two times. */
uint64_t program_stream_count(const struct program_stream *stream, int64_t from, int64_t to);
