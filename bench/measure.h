/*
 * Starts programs and measures their cost. Figures of two programs come from runs
 * in turns, so that whatever else happens on the machine happens to both; the least
 * of many runs is the one that was disturbed least.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>

enum { MAX_ARGUMENTS = 16 };

struct command {
	const char *argv[MAX_ARGUMENTS + 1];
};

struct figures {
	double wall_ms, wall_median_ms; /* least, and in the middle */
	double cpu_ms;			/* least */
	long rss_kb;			/* largest; never below our own, see measure.c */
};

/* Appends an argument; ends the program if there is no room. */
void command_add(struct command *command, const char *argument);

/* One run, its output written over the file fd (-1: thrown away). 0, or -errno. */
MUST_CHECK int measure_once(const struct command *command, int fd, struct figures *ret);

/* As many runs of each, in turns. */
MUST_CHECK int measure_pair(const struct command *a, const struct command *b, unsigned rounds,
			    int fd, struct figures *ret_a, struct figures *ret_b);

struct terminal {
	unsigned columns, lines;
};

/* One run on a terminal of its own; the bytes it wrote there. */
MUST_CHECK int measure_terminal(const struct command *command, const struct terminal *terminal,
				struct figures *ret, size_t *ret_bytes);
