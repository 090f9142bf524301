/*
 * The parts of a measurement, and the targets they are held to.
 */
#pragma once

#include "count.h"
#include "measure.h"
#include "place.h"

#include <stdio.h>

/* The targets. */
#define MOST_RATIO   2.0   /* to the floor, with as many devices as below */
#define RATIO_AT     32u   /* devices */
#define MOST_RSS_KB  4096L /* resident */
#define MOST_CALLS   25	   /* per device and refresh */
#define MOST_PERCENT 1.0   /* of a core, on a terminal, ten times a second, RATIO_AT devices */

/* How much of everything. */
struct effort {
	unsigned rounds, walk_rounds; /* runs of each program */
	unsigned refreshes, loops;    /* so many refreshes, so many times */
	unsigned devices[3];
	size_t crowds[2];
};

struct bench {
	const struct effort *effort;
	const struct place *place;
	char tt_smi[300], sim[300], floor[300];
	int output; /* file that takes what the programs write */
	bool counts;
	bool failed;
};

#define DRIVER	   "2.10.1" /* lists who holds a device */
#define OLD_DRIVER "2.4.1"  /* does not */

enum { HOLDERS = 3 };

/* A file of the place, or of a tree. */
PRINTF(3, 4) char *path_in(char path[static 512], const char *directory, const char *format, ...);

/* A simulated machine; with as many workloads as there are HOLDERS, or none. */
MUST_CHECK int tree_make(struct bench *bench, const char *tree, unsigned devices,
			 const char *driver, bool workloads);

/* tt_smi and the floor side by side. */
struct row {
	const char *name;
	struct figures floor, ours;
	struct calls floor_calls, our_calls;
};

/* An output of tt_smi: its arguments, and what the floor calls it. */
struct output {
	const char *name, *floor;
	const char *arguments[2];
};

extern const struct output outputs[]; /* the table is the first */

MUST_CHECK int row_measure(struct bench *bench, const struct output *output, const char *tree,
			   bool walk, unsigned rounds, struct row *row);
void row_print_head(const char *what);
void row_print(const struct bench *bench, const struct row *row, const char *what, bool has_ratio);

/* Says that something was not measured; the exit status will say it too. */
void bench_fail(struct bench *bench, const char *what, int error);

void bench_once(struct bench *bench);
void bench_crowds(struct bench *bench);
void bench_loops(struct bench *bench);
