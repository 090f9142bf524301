/*
 * Converts the clock of a chip to the host's CLOCK_MONOTONIC in ns.
 *
 * TT-Metal measures one pair of times (the anchor) and the frequency when it opens a device, and
 * corrects neither when the frequency of the chip changes later. So each batch of records is
 * compared with the times between which it arrived, and the conversion is adjusted if necessary
 * before the batch is used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program on a chip, in ticks of the chip's clock. */
struct program_record {
	uint64_t start, end;
	uint16_t id; /* the low 16 bits of the program's number; 0: it has none */
};

/* What the clock is compared with, of the records of a batch in the order of their ends. */
struct program_arrivals {
	size_t count;
	uint64_t second, newest; /* ends of the second and of the last; 0: none */
};

void program_arrivals_add(struct program_arrivals *arrivals, const struct program_record *records,
			  size_t count);

struct program_clock {
	uint64_t given_tick; /* as of the last program_clock_set() */
	double given_rate;
	unsigned settings;   /* how often it was set anew, not only moved */
	double ticks_per_ns; /* 0: not known */
	uint64_t tick;	     /* the anchor: this tick was at `ns` */
	int64_t ns;
	bool is_anchored;     /* tick and ns are set */
	bool is_by_arrival;   /* set by the arrival of records, so `ns` may be too late */
	bool is_measured;     /* the rate is by the arrival of records: too high by up to 2 % */
	int64_t anchored_ns;  /* when it was last set by arrival; 0: never */
	int64_t adjusted_ns;  /* when it was last adjusted to records by more than the error that
				 an exact figure may have; 0: never */
	int64_t moved;	      /* by how much it was adjusted, earlier and later, */
	int64_t moved_since;  /* in the second that began then */
	int64_t set_back;     /* the part of `moved` that made it earlier, */
	int64_t was_set_back; /* and that of the second before */
	uint64_t last_tick;   /* end of the newest record, */
	int64_t last_ns;      /* and when its batch was read; 0: no batch yet */
	uint64_t misfit_tick; /* the same for the first batch that did not fit */
	int64_t misfit_ns;    /* 0: the last batch fitted */
	double candidate;     /* rate of the previous batch, while none fits; 0: not measured */
};

/*
 * Sets what TT-Metal has measured. first_tick 0: no anchor; ticks_per_ns 0: not known. False, and
 * the clock is unchanged, if the same was set before.
 */
bool program_clock_set(struct program_clock *clock, uint64_t first_tick, int64_t host_ns,
		       double ticks_per_ns);

int64_t program_clock_ns(const struct program_clock *clock, uint64_t tick);

/*
 * How much later than program_clock_ns() a program of the newest batch ran, at least and at most,
 * as follows from what the host saw. PROGRAM_UNKNOWN: no limit is known.
 */
struct program_limits {
	int64_t low, high;
};

#define PROGRAM_UNKNOWN (INT64_MAX / 4)

/* Gives a clock without an anchor one: a record with this end has arrived. */
void program_clock_begin(struct program_clock *clock, uint64_t tick, int64_t now);

/*
 * Moves the clock so that it is within the limits, if it is a little outside. Returns by how much
 * it became later, and changes the limits accordingly.
 */
int64_t program_clock_follow(struct program_clock *clock, struct program_limits *limits,
			     int64_t now);

/* By how much it became earlier in the second before the newest batch, or possibly more. */
int64_t program_clock_set_back(const struct program_clock *clock);

/* Is the clock within the limits, except for errors of its anchor? */
bool program_clock_is_within(const struct program_limits *limits);

/*
 * Adjusts the clock to a batch of records that arrived between `since` and `now`. False: the clock
 * is not known, or has changed and the new rate is not known yet, so the records
 * cannot be used.
 */
bool program_clock_fit(struct program_clock *clock, const struct program_arrivals *arrivals,
		       const struct program_limits *limits, int64_t since, int64_t now);
