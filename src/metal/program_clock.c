#include "metal/program_clock.h"

#include "basic/clock.h"
#include "basic/macros.h"

#include <math.h>

/* Limits for the clock of a chip, in ticks per ns. */
#define RATE_MIN 0.01
#define RATE_MAX 10.0

/* Maximum time between a chip sending a record and the host reading it. */
#define ARRIVAL (50 * NS_PER_MS)

/* The anchor is inexact: a record may seem to end up to this long after it was read. */
#define TOLERANCE (5 * NS_PER_MS)

/*
 * The sum of small adjustments within a second that leaves figures exact: other causes than a
 * change of the rate, as the drift between two oscillators, need less.
 */
#define SILENT (2 * NS_PER_MS)

/* How long a clock that is anchored by arrival waits for records that arrive sooner, and by how
 * much. */
#define SETTLING (2 * NS_PER_S)
#define LATE_MAX (2 * NS_PER_S)

/* The sum of adjustments within a second of a clock whose rate is by arrival. */
#define MEASURED_MAX (150 * NS_PER_MS)

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
	*clock = (struct program_clock){ .given_tick = first_tick,
					 .given_rate = ticks_per_ns,
					 .settings = clock->settings + 1 };
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
	clock->settings++;
	clock->anchored_ns = clock->adjusted_ns = ns;
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

void program_clock_begin(struct program_clock *clock, uint64_t tick, int64_t now)
{
	if (!is_rate(clock->ticks_per_ns) || clock->is_anchored)
		return;
	anchor(clock, tick, now);
	clock->is_by_arrival = true;
}

/*
 * By how much a clock may be moved within a second. The first record that anchors a clock may have
 * arrived late: such a clock is set back to those that arrive sooner after their end.
 */
static int64_t allowance(const struct program_clock *clock, int64_t later, int64_t now)
{
	if (clock->is_measured)
		return MEASURED_MAX;
	return clock->is_by_arrival && later < 0 && now - clock->anchored_ns < SETTLING ? LATE_MAX
											: TOLERANCE;
}

int64_t program_clock_follow(struct program_clock *clock, struct program_limits *limits,
			     int64_t now)
{
	int64_t later = limits->high < 0 ? limits->high : MAX(limits->low, 0);
	int64_t distance = later < 0 ? -later : later;

	if (now - clock->moved_since >= NS_PER_S) {
		clock->was_set_back = now - clock->moved_since < 2 * NS_PER_S ? clock->set_back : 0;
		clock->moved = clock->set_back = 0;
		clock->moved_since = now;
	}
	if (!later || clock->moved + distance > allowance(clock, later, now))
		return 0;
	clock->ns += later;
	clock->moved += distance;
	clock->set_back += MAX(-later, 0);
	if (clock->moved > SILENT)
		clock->adjusted_ns = now;
	limits->low -= later;
	limits->high -= later;
	return later;
}

int64_t program_clock_set_back(const struct program_clock *clock)
{
	return clock->set_back + clock->was_set_back;
}

bool program_clock_is_within(const struct program_limits *limits)
{
	return limits->high >= -TOLERANCE && limits->low <= TOLERANCE;
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

/*
 * The chip sends a record when the next program starts, so the first record of a batch may be old.
 * If the clock is right, the second one ended after the previous batch was read. This is the only
 * limit if launches are not followed.
 */
static bool fits(const struct program_clock *clock, const struct program_arrivals *arrivals,
		 const struct program_limits *limits, int64_t since)
{
	if (!program_clock_is_within(limits))
		return false;
	return arrivals->count < 3 || limits->low > -PROGRAM_UNKNOWN / 2 ||
	       program_clock_ns(clock, arrivals->second) >= since - ARRIVAL;
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

/*
 * Sets the rate of a clock that has changed. If it is the rate that TT-Metal has measured, the
 * clock was only anchored by a record that arrived late; otherwise durations become lower bounds.
 */
static void set_rate(struct program_clock *clock, double rate)
{
	clock->is_measured = fabs(rate - clock->given_rate) > 2 * AGREEMENT * clock->given_rate;
	clock->ticks_per_ns = clock->is_measured ? rate * (1 + AGREEMENT) : clock->given_rate;
	clock->is_by_arrival = true;
}

/* A measured rate is too high by up to 2 %, which makes the clock late. */
static void catch_up(struct program_clock *clock, uint64_t tick, int64_t now)
{
	int64_t late = now - program_clock_ns(clock, tick);

	if (clock->is_measured && late > 0)
		clock->ns += MIN(late, (now - clock->last_ns) / 50);
}

bool program_clock_fit(struct program_clock *clock, const struct program_arrivals *arrivals,
		       const struct program_limits *limits, int64_t since, int64_t now)
{
	double rate;

	if (!is_rate(clock->ticks_per_ns))
		return false;
	if (arrivals->count == 0)
		return true;
	if (fits(clock, arrivals, limits, since)) {
		catch_up(clock, arrivals->newest, now);
	} else {
		rate = new_rate(clock, arrivals->newest, arrivals->count, since, now);
		note_batch(clock, arrivals->newest, now);
		if (!is_rate(rate))
			return false;
		set_rate(clock, rate);
		anchor(clock, arrivals->newest, now);
	}
	clock->misfit_ns = 0;
	note_batch(clock, arrivals->newest, now);
	return true;
}
