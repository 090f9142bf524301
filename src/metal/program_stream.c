#include "metal/program_stream.h"

#include "basic/clock.h"

#include <stdlib.h>

/* A record of a program that ran for more than a day is invalid. */
#define DURATION_MAX (86400 * NS_PER_S)

/* If numbers jump by more, programs were not lost: another sequence of numbers began. */
#define GAP_MAX 16384

static void mark(struct program_stream *stream, int64_t now)
{
	stream->marks[stream->n_marks++ % PROGRAM_MARKS] =
		(struct program_mark){ now, stream->n_records };
}

void program_stream_init(struct program_stream *stream, int64_t now)
{
	*stream = (struct program_stream){ .begun_ns = now,
					   .last_end = now,
					   .drift_ns = PROGRAM_UNKNOWN };
	program_drift_init(&stream->drift, 0);
	mark(stream, now);
}

void program_stream_done(struct program_stream *stream)
{
	program_intervals_done(&stream->busy);
}

/*
 * False: a program between the last one and this one is missing, or another sequence began. The
 * chip does not record programs whose low 16 bits are zero, one in 65,536; these do not count as
 * missing.
 */
static bool follow_id(struct program_stream *stream, uint16_t id)
{
	unsigned distance = (uint16_t)(id - stream->last_id);
	bool passes_zero = id < stream->last_id;

	if (stream->n_records > 0 && distance <= GAP_MAX)
		stream->n_advanced += distance;
	stream->last_id = id;
	return stream->n_records == 0 || distance == 1U + passes_zero;
}

/* False: the record is invalid, or overlaps the previous program. */
static bool add_record(struct program_stream *stream, const struct program_record *record,
		       int64_t now)
{
	int64_t start, end;
	bool fits;

	if (record->end < record->start)
		return false;
	start = program_clock_ns(&stream->clock, record->start);
	end = program_clock_ns(&stream->clock, record->end);
	if (end - start > DURATION_MAX || end > now + NS_PER_S || end < 0)
		return false;
	end = MIN(end, now);
	fits = start >= stream->last_end;
	start = MAX(start, stream->last_end);
	if (program_intervals_add(&stream->busy, start, end) < 0)
		return false;
	stream->last_end = MAX(stream->last_end, end);
	return fits;
}

/*
 * Programs on different sub-devices end in any order; program_intervals_add() needs starts sorted.
 */
static int by_start(const void *a, const void *b)
{
	const struct program_record *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool is_sorted(const struct program_record *records, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (records[i].start < records[i - 1].start)
			return false;
	return true;
}

/*
 * Adjusts the clock to limits, and the last time with it, so that the next program does not seem to
 * overlap. Returns by how much it became later.
 */
static int64_t adjust(struct program_stream *stream, struct program_limits *limits, int64_t now)
{
	int64_t later = program_clock_follow(&stream->clock, limits, now);

	stream->last_end = MAX(stream->last_end + later, stream->begun_ns);
	stream->set_back_ns = program_clock_set_back(&stream->clock);
	return later;
}

void program_stream_arrive(struct program_stream *stream, uint64_t tick, int64_t ns)
{
	struct program_limits limits = { .low = -PROGRAM_UNKNOWN };

	program_clock_begin(&stream->clock, tick, ns);
	limits.high = ns - program_clock_ns(&stream->clock, tick);
	(void)adjust(stream, &limits, ns);
}

/* The ordinal of the last program of a batch. */
static uint64_t last_number(const struct program_stream *stream, const struct program_batch *batch)
{
	struct program_stream after = { .n_records = stream->n_records,
					.n_advanced = stream->n_advanced,
					.last_id = stream->last_id };
	uint16_t id = batch->records[batch->count - 1].id;
	unsigned distance = (uint16_t)(id - after.last_id);

	/* Usually none is missing. */
	if (after.n_records && distance == batch->count + (id < after.last_id))
		return program_stream_seen(&after) + distance;
	for (size_t i = 0; i < batch->count; i++) {
		(void)follow_id(&after, batch->records[i].id);
		after.n_records++;
	}
	return program_stream_seen(&after);
}

void program_stream_look(struct program_stream *stream, const struct program_batch *batch,
			 struct program_limits *ret)
{
	int64_t later, end;

	*ret = (struct program_limits){ -PROGRAM_UNKNOWN, PROGRAM_UNKNOWN };
	if (batch->count == 0 || stream->clock.ticks_per_ns <= 0)
		return;
	end = (int64_t)batch->records[batch->count - 1].end;
	program_clock_begin(&stream->clock, (uint64_t)end, batch->now);
	program_limits_find(ret, &stream->clock, batch, last_number(stream, batch));
	later = adjust(stream, ret, batch->now);
	end = program_clock_ns(&stream->clock, (uint64_t)end);
	if (stream->drift.settings != stream->clock.settings)
		program_drift_init(&stream->drift, stream->clock.settings);
	program_drift_add(&stream->drift, ret, later, end);
	stream->drift_ns = program_drift_get(&stream->drift);
}

static bool add_records(struct program_stream *stream, const struct program_batch *batch)
{
	bool is_faulty = false;

	for (size_t i = 0; i < batch->count; i++) {
		is_faulty |= !follow_id(stream, batch->records[i].id);
		stream->n_records++;
	}
	if (!is_sorted(batch->records, batch->count))
		qsort(batch->records, batch->count, sizeof(*batch->records), by_start);
	for (size_t i = 0; i < batch->count; i++)
		is_faulty |= !add_record(stream, &batch->records[i], batch->now);
	return !is_faulty;
}

void program_stream_put(struct program_stream *stream, const struct program_batch *batch)
{
	if (!add_records(stream, batch) || batch->lost)
		stream->faulty_ns = batch->now;
	if (batch->count)
		stream->arrived_ns = batch->now;
	program_intervals_expire(&stream->busy, batch->now - PROGRAM_KEPT_NS);
	mark(stream, batch->now);
}

bool program_stream_add(struct program_stream *stream, const struct program_batch *batch)
{
	struct program_arrivals arrivals = { 0 };
	struct program_limits limits;

	program_stream_look(stream, batch, &limits);
	program_arrivals_add(&arrivals, batch->records, batch->count);
	if (!program_clock_fit(&stream->clock, &arrivals, &limits, batch->since, batch->now)) {
		stream->faulty_ns = batch->count ? batch->now : stream->faulty_ns;
		return false;
	}
	program_stream_put(stream, batch);
	return true;
}

uint64_t program_stream_seen(const struct program_stream *stream)
{
	return stream->n_records ? stream->n_advanced + 1 : 0;
}

bool program_stream_is_complete(const struct program_stream *stream, int64_t from)
{
	return stream->n_records > 0 && stream->faulty_ns < from && !stream->clock.is_measured &&
	       stream->clock.adjusted_ns < from && !stream->clock.misfit_ns;
}

/* The newest batch that was read before or at a time, else the oldest that is remembered. */
static unsigned find_mark(const struct program_stream *stream, int64_t ns)
{
	unsigned oldest = stream->n_marks - MIN(stream->n_marks, (unsigned)PROGRAM_MARKS);
	unsigned at = stream->n_marks - 1;

	while (at > oldest && stream->marks[at % PROGRAM_MARKS].ns > ns)
		at--;
	return at;
}

/* Interpolates between batches, as if programs had ended at an even rate. */
uint64_t program_stream_count(const struct program_stream *stream, int64_t from, int64_t to)
{
	unsigned last = find_mark(stream, to - 1);
	const struct program_mark *begin = &stream->marks[find_mark(stream, from) % PROGRAM_MARKS];
	const struct program_mark *end;

	if (last + 1 < stream->n_marks)
		last++; /* programs that ended shortly before `to` are in the batch after it */
	end = &stream->marks[last % PROGRAM_MARKS];
	from = MAX(from, begin->ns);
	to = MIN(to, end->ns);
	if (to <= from)
		return 0;
	return (uint64_t)((double)(end->n_records - begin->n_records) * (double)(to - from) /
				  (double)(end->ns - begin->ns) +
			  0.5);
}
