#include "metal/program_evidence.h"

#include "basic/macros.h"

/* Fewer than times are kept: a time may be overwritten while it is read. */
enum { TIMES_READ = PROGRAM_TIMES * 3 / 4 };

/* Ends of programs are sorted into periods of 1.07 s, which is longer than the window of a figure.
 */
enum { PERIOD_BITS = 30 };

/* The launch with this number, from 0; PROGRAM_UNKNOWN below 0: its time is not kept. */
static int64_t launch_time(const struct program_launch_state *launches, uint64_t number)
{
	uint64_t count = program_get(&launches->counted);

	if (number >= count || count - number > TIMES_READ)
		return -PROGRAM_UNKNOWN;
	return (int64_t)program_get(&launches->times[number % PROGRAM_TIMES]);
}

/* Are launches numbered like programs with records? Not after one that has none. */
static bool are_numbered(const struct program_launch_state *launches)
{
	return launches && !program_get(&launches->uncounted_ns);
}

void program_limits_find(struct program_limits *ret, const struct program_clock *clock,
			 const struct program_batch *batch, uint64_t number)
{
	const struct program_record *last = &batch->records[batch->count - 1];
	uint64_t completed = batch->queue ? program_get(&batch->queue->completed) : 0;
	int64_t idle = batch->queue ? (int64_t)program_get(&batch->queue->idle_ns) : 0;

	*ret = (struct program_limits){ .low = -PROGRAM_UNKNOWN,
					.high = batch->now - program_clock_ns(clock, last->end) };
	if (!are_numbered(batch->launches))
		return;
	for (size_t i = batch->count; i-- > 0;) {
		const struct program_record *one = &batch->records[i];
		uint16_t back = (uint16_t)(last->id - one->id);
		uint64_t ordinal = number + batch->missed - back;
		int64_t launched;

		if (back >= TIMES_READ || back >= number)
			break;
		launched = launch_time(batch->launches, ordinal - 1);
		if (launched >= 0)
			ret->low = MAX(ret->low, launched - program_clock_ns(clock, one->start));
		if (idle && ordinal == completed)
			ret->high = MIN(ret->high, idle - program_clock_ns(clock, one->end));
	}
}

void program_drift_init(struct program_drift *drift, unsigned settings)
{
	*drift = (struct program_drift){ .settings = settings,
					 .error = PROGRAM_UNKNOWN,
					 .least = PROGRAM_UNKNOWN,
					 .before = PROGRAM_UNKNOWN,
					 .earlier = PROGRAM_UNKNOWN };
}

static int64_t sum(int64_t error, int64_t moved)
{
	return MIN(error + moved, PROGRAM_UNKNOWN);
}

/* Earlier errors are those of the clock as it was, before it was moved. */
static void move(struct program_drift *drift, int64_t distance)
{
	drift->least = sum(drift->least, distance);
	drift->before = sum(drift->before, distance);
	drift->earlier = sum(drift->earlier, distance);
}

static void begin_period(struct program_drift *drift, int64_t period)
{
	drift->earlier = MIN(drift->earlier, drift->before);
	if (period > drift->period + 1)
		drift->earlier = MIN(drift->earlier, drift->least);
	drift->before = drift->least;
	drift->least = PROGRAM_UNKNOWN;
	drift->period = period;
}

void program_drift_add(struct program_drift *drift, const struct program_limits *limits,
		       int64_t moved, int64_t end)
{
	int64_t period = end >> PERIOD_BITS;

	move(drift, moved < 0 ? -moved : moved);
	if (period > drift->period)
		begin_period(drift, period);
	drift->error = MIN(MAX(limits->high, -limits->low), PROGRAM_UNKNOWN);
	drift->least = MIN(drift->least, drift->error);
}

int64_t program_drift_get(const struct program_drift *drift)
{
	int64_t first = drift->earlier;

	if (first == PROGRAM_UNKNOWN)
		first = drift->before;
	if (first == PROGRAM_UNKNOWN)
		first = drift->least;
	return sum(drift->error, first);
}
