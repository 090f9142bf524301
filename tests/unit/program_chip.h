/*
 * For tests of utilisation: a simulated chip that runs a schedule with a known share of busy time,
 * and is sampled as the tracer does.
 */
#pragma once

#include "metal/program_figure.h"

#include "basic/clock.h"

#define BEGIN	(1000 * NS_PER_S)
#define PERIOD	(250 * NS_PER_MS)
#define RECORDS 32768

/* A chip that runs programs of `busy` ns every `every` ns. */
struct chip {
	double ticks_per_ns; /* as the chip runs */
	uint64_t tick;	     /* at `at` */
	int64_t at, next;    /* next: start of the next program */
	int64_t every, busy;
	uint16_t id;
	uint64_t launched;
	struct program_stream stream;
	struct program_launches launches;
	struct program_launch_state state; /* as the host counts them */
	struct program_queue_state queue;
	bool waits; /* the host waits for each program */
};

/* The records that chip_run() makes and chip_add() adds. */
extern struct program_record records[RECORDS];

void chip_begin(struct chip *chip, int64_t every, int64_t busy);

/* What its clock shows at a time. */
uint64_t chip_tick(const struct chip *chip, int64_t ns);

/* Its clock runs at this rate from now on. */
void chip_set_rate(struct chip *chip, int64_t now, double ticks_per_ns);

/* The next number; the chip does not record a program whose number is 0. */
uint16_t chip_next_id(struct chip *chip);

/* A program is launched at this time. */
void chip_launch(struct chip *chip, int64_t at);

/* Adds a batch that was read at `now`. Returns whether the clock is known. */
bool chip_add(struct chip *chip, size_t count, uint64_t lost, int64_t since, int64_t now);

/* Runs the programs that end by now, each launched when it starts. Returns their number. */
size_t chip_run(struct chip *chip, int64_t now);

double figure_share(const struct program_figure *figure);

/* The host has followed all launches so far. */
void chip_follow(struct chip *chip);

/* Samples up to the time `until`. *ret is the figure of the last sample. */
bool chip_play(struct chip *chip, int64_t from, int64_t until, bool followed,
	       struct program_figure *ret);
