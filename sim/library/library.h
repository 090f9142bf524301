/*
 * The library of a simulated TT-Metal, for the processes of tt_smi sim. They load it as Python
 * loads ttnn, so that libttalloc-preload.so intercepts its functions as in real programs.
 *
 * It has the names, layouts and calls of TT-Metal by which programs are launched, and the
 * profiler's rings, into which a chip writes when each program ran. There is one build per release,
 * with the number in SIM_RELEASE: 65 has no profiler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_chip {
	uint32_t id; /* TT-Metal's number for it */
	bool is_profiled;
	double ticks_per_ns;
};

/* When a program ran on a chip, in ns of CLOCK_MONOTONIC. */
struct sim_run {
	uint64_t id; /* of the program */
	int64_t start, end;
};

struct sim_mesh;

/* What a process does with its chips. Programs run on all of them. */
struct sim_library {
	/* NULL: no memory. */
	struct sim_mesh *(*open)(const struct sim_chip *chips, size_t count);
	void (*close)(struct sim_mesh *mesh);
	void (*launch)(struct sim_mesh *mesh, uint64_t id, const char *operation);
	/* The same with slow dispatch: the host starts the program itself, without events. */
	void (*launch_slow)(struct sim_mesh *mesh, uint64_t id, const char *operation);
	/* An event that each chip reaches after all programs launched so far. */
	void (*add_event)(struct sim_mesh *mesh);
	/* The host learns that a chip has reached the last event. */
	void (*complete)(struct sim_mesh *mesh, size_t chip);
	/* A chip writes a record into its ring; a full ring drops it. */
	void (*record)(struct sim_mesh *mesh, size_t chip, const struct sim_run *run);
	/* The host reads what the chips have written. */
	void (*receive)(struct sim_mesh *mesh);
};

/* The only symbol that is not TT-Metal's. */
#define SIM_LIBRARY_SYMBOL "sim_library"
