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

/* A record is usually read within this time after the chip has sent it. */
#define TIMELY (20 * NS_PER_MS)

void program_stream_init(struct program_stream *stream, int64_t now)
{
	*stream = (struct program_stream){ .begun_ns = now, .last_end = now };
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

/*
 * A chip that is always busy sends a record about as often as programs end. A newest record that is
 * older than that shows idle time, or a clock that has become slower.
 */
static void note_end(struct program_stream *stream, int64_t longest, int64_t now)
{
	if (now - stream->last_end <= longest + TIMELY)
		stream->timely_end = stream->last_end;
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

/* Sets the stored times back with the clock, so that the next program does not seem to overlap. */
void program_stream_arrive(struct program_stream *stream, uint64_t tick, int64_t ns)
{
	int64_t late = program_clock_arrive(&stream->clock, tick, ns);

	stream->last_end = MAX(stream->last_end - late, stream->begun_ns);
	stream->timely_end = MAX(stream->timely_end - late, 0);
}

void program_stream_put(struct program_stream *stream, struct program_record *records, size_t count,
			uint64_t lost, int64_t now)
{
	int64_t before, longest = 0;
	bool is_faulty = lost > 0;

	for (size_t i = 0; i < count; i++) {
		is_faulty |= !follow_id(stream, records[i].id);
		stream->n_records++;
	}
	if (!is_sorted(records, count))
		qsort(records, count, sizeof(*records), by_start);
	for (size_t i = 0; i < count; i++) {
		before = stream->last_end;
		is_faulty |= !add_record(stream, &records[i], now);
		longest = MAX(longest, stream->last_end - before);
	}
	if (count)
		note_end(stream, longest, now);
	if (is_faulty)
		stream->faulty_ns = now;
	program_intervals_expire(&stream->busy, now - PROGRAM_KEPT_NS);
	mark(stream, now);
}

bool program_stream_add(struct program_stream *stream, struct program_record *records, size_t count,
			uint64_t lost, int64_t since, int64_t now)
{
	struct program_arrivals arrivals = { 0 };

	if (count)
		program_stream_arrive(stream, records[count - 1].end, now);
	program_arrivals_add(&arrivals, records, count);
	if (!program_clock_fit(&stream->clock, &arrivals, since, now)) {
		stream->faulty_ns = count ? now : stream->faulty_ns;
		return false;
	}
	program_stream_put(stream, records, count, lost, now);
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
