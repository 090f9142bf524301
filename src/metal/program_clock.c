#include "metal/program_clock.h"

#include "basic/clock.h"

#include <math.h>

/* Limits for the clock of a chip, in ticks per ns. */
#define RATE_MIN 0.01
#define RATE_MAX 10.0

/* Maximum time between a chip sending a record and the host reading it. */
#define ARRIVAL (50 * NS_PER_MS)

/* The anchor is inexact: a record may seem to end up to this long after it was read. */
#define TOLERANCE (5 * NS_PER_MS)

/* A rate is measured over at least this many records, so that a few missing ones matter little. */
#define RATE_RECORDS 8

/*
 * Two successive measurements of a rate that differ by less agree, and are used. Idle time at the
 * end of a batch makes a measurement wrong, but is not the same twice.
 */
#define AGREEMENT 0.01

/* If they never agree, the rate is measured over this many times the uncertainty of its ends. */
#define BASELINE 10

static bool is_rate(double ticks_per_ns)
{
	return ticks_per_ns >= RATE_MIN && ticks_per_ns <= RATE_MAX; /* false for NaN */
}

bool program_clock_set(struct program_clock *clock, uint64_t first_tick, int64_t host_ns,
		       double ticks_per_ns)
{
	if (clock->given_tick == first_tick && clock->given_rate == ticks_per_ns)
		return false;
	*clock = (struct program_clock){ .given_tick = first_tick, .given_rate = ticks_per_ns };
	if (!is_rate(ticks_per_ns))
		return true;
	clock->ticks_per_ns = ticks_per_ns;
	clock->tick = first_tick;
	clock->ns = host_ns;
	clock->is_anchored = first_tick != 0;
	return true;
}

static void anchor(struct program_clock *clock, uint64_t tick, int64_t ns)
{
	clock->tick = tick;
	clock->ns = ns;
	clock->is_anchored = true;
	clock->adjusted_ns = ns;
}

int64_t program_clock_ns(const struct program_clock *clock, uint64_t tick)
{
	double ticks =
		tick >= clock->tick ? (double)(tick - clock->tick) : -(double)(clock->tick - tick);
	double ns = ticks / clock->ticks_per_ns;

	/* No chip runs for 30 years; beyond, the conversion to an integer would be undefined. */
	if (fabs(ns) > 1e18)
		return ns > 0 ? INT64_MAX / 2 : INT64_MIN / 2;
	return clock->ns + (int64_t)ns;
}

/* A larger difference is due to another clock rate, not to late arrival. */
#define LATE_MAX (20 * NS_PER_MS)

int64_t program_clock_arrive(struct program_clock *clock, uint64_t tick, int64_t ns)
{
	int64_t late;

	if (!is_rate(clock->ticks_per_ns))
		return 0;
	if (!clock->is_anchored) {
		anchor(clock, tick, ns);
		clock->is_by_arrival = true;
	}
	late = program_clock_ns(clock, tick) - ns;
	if (late <= 0 || late > (clock->is_by_arrival ? LATE_MAX : TOLERANCE))
		return 0;
	clock->ns -= late;
	return late;
}

void program_arrivals_add(struct program_arrivals *arrivals, const struct program_record *records,
			  size_t count)
{
	if (count == 0)
		return;
	if (arrivals->count < 2 && arrivals->count + count >= 2)
		arrivals->second = records[1 - arrivals->count].end;
	arrivals->newest = records[count - 1].end;
	arrivals->count += count;
}

bool program_clock_is_early(const struct program_clock *clock, uint64_t tick, int64_t now)
{
	return program_clock_ns(clock, tick) > now + TOLERANCE;
}

/*
 * The chip sends a record when the next program starts, so the first record of a batch may be old.
 * If the clock is right, the second one ended after the previous batch was read, and the last one
 * before this batch was read.
 */
static bool fits(const struct program_clock *clock, const struct program_arrivals *arrivals,
		 int64_t since, int64_t now)
{
	if (program_clock_is_early(clock, arrivals->newest, now))
		return false;
	return arrivals->count < 3 || program_clock_ns(clock, arrivals->second) >= since - ARRIVAL;
}

/* The rate between the ends of the last two batches; 0: too few records to measure it. */
static double batch_rate(const struct program_clock *clock, uint64_t tick, size_t count,
			 int64_t now)
{
	if (count < RATE_RECORDS || !clock->last_ns || now <= clock->last_ns ||
	    tick <= clock->last_tick)
		return 0;
	return (double)(tick - clock->last_tick) / (double)(now - clock->last_ns);
}

/*
 * The highest possible rate since the first batch that did not fit, which makes durations lower
 * bounds. 0: not known yet.
 */
static double baseline_rate(const struct program_clock *clock, uint64_t tick, int64_t since,
			    int64_t now)
{
	int64_t span = now - clock->misfit_ns, uncertain = now - since + ARRIVAL;

	if (span < BASELINE * uncertain || tick <= clock->misfit_tick)
		return 0;
	return (double)(tick - clock->misfit_tick) / (double)(span - uncertain);
}

/* A rate for a clock that has changed; 0: not known yet. */
static double new_rate(struct program_clock *clock, uint64_t tick, size_t count, int64_t since,
		       int64_t now)
{
	double before = clock->candidate;

	if (!clock->misfit_ns) {
		clock->misfit_tick = tick;
		clock->misfit_ns = now;
		clock->candidate = 0;
		return 0;
	}
	clock->candidate = batch_rate(clock, tick, count, now);
	if (is_rate(before) && fabs(clock->candidate - before) <= AGREEMENT * before)
		return (clock->candidate + before) / 2;
	return baseline_rate(clock, tick, since, now);
}

static void note_batch(struct program_clock *clock, uint64_t tick, int64_t now)
{
	clock->last_tick = tick;
	clock->last_ns = now;
}

bool program_clock_fit(struct program_clock *clock, const struct program_arrivals *arrivals,
		       int64_t since, int64_t now)
{
	double rate;

	if (!is_rate(clock->ticks_per_ns))
		return false;
	if (arrivals->count == 0)
		return true;
	/* A rate that is too high makes the clock late. */
	if (clock->is_measured && program_clock_ns(clock, arrivals->newest) < now)
		anchor(clock, arrivals->newest, now);
	if (!fits(clock, arrivals, since, now)) {
		rate = new_rate(clock, arrivals->newest, arrivals->count, since, now);
		note_batch(clock, arrivals->newest, now);
		if (!is_rate(rate))
			return false;
		clock->ticks_per_ns = rate * (1 + AGREEMENT); /* durations are lower bounds */
		clock->is_measured = clock->is_by_arrival = true;
		anchor(clock, arrivals->newest, now);
	}
	clock->misfit_ns = 0;
	note_batch(clock, arrivals->newest, now);
	return true;
}
