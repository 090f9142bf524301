/*
 * Compute utilisation: the share of time in which a program ran on the cores of a chip, for a
 * device and for a process on a device.
 *
 * A figure is exact, or a bound of the true one. Pure functions.
 */
#pragma once

#include "model/field.h"

#include <stdbool.h>
#include <stdint.h>

/* What the share says about the true one. */
enum utilization_bound {
	BOUND_EXACT,
	BOUND_LOWER, /* it may be more: records are missing, or may be */
	BOUND_UPPER, /* it may be less: waiting is included */
	BOUND_N,
};

extern const char *const utilization_bounds[BOUND_N];

/* The fields, in the order of the field tables of device and usage. */
enum utilization_field {
	UTIL_SHARE,
	UTIL_BOUND,
	UTIL_PROGRAMS,
	UTIL_RUNNING,
	UTIL_LAST_PROGRAM,
	UTIL_OPERATION,
	UTILIZATION_FIELDS,
};

struct utilization {
	double share; /* 0 to 1 */
	enum utilization_bound bound;
	enum reason unmeasured; /* of an upper bound: why nothing is measured; KNOWN: not said */
	double programs;	/* that ended, per second */
	double running;		/* seconds since the oldest unfinished program was launched */
	double last_program;	/* seconds since the last program ended */
	char operation[48];
};

/* The lines of the field tables after the first, which devices and processes share. */
/* clang-format off */
#define UTILIZATION_DETAILS(first, section, type) \
	[(first) + UTIL_BOUND] = { "utilization.bound", NULL, "utilization.bound", section, "Compute Bound", \
		"exact: measured completely; lower: the share may be higher; upper: it may be lower", K_ENUM, U_NONE, offsetof(type, utilization.bound), \
		.names = utilization_bounds, .needs = FIELDS(PART(UTILIZATION)) }, \
	[(first) + UTIL_PROGRAMS] = { "utilization.programs", NULL, "utilization.programs", section, "Programs", \
		"programs that ended, per second", K_DOUBLE, U_PER_SECOND, offsetof(type, utilization.programs), \
		.needs = FIELDS(PART(UTILIZATION)) }, \
	[(first) + UTIL_RUNNING] = { "utilization.running", NULL, "utilization.running", section, "Running", \
		"time since the oldest unfinished program was launched", K_DOUBLE, U_SECOND, offsetof(type, utilization.running), \
		.needs = FIELDS(PART(UTILIZATION)) }, \
	[(first) + UTIL_LAST_PROGRAM] = { "utilization.last_program", NULL, "utilization.last_program", section, "Last Program", \
		"time since a program last ended", K_DOUBLE, U_SECOND, offsetof(type, utilization.last_program), \
		.needs = FIELDS(PART(UTILIZATION)) }, \
	[(first) + UTIL_OPERATION] = { "utilization.operation", NULL, "utilization.operation", section, "Operation", \
		"operation that took most time; only for root and the owner of the process", K_STRING, U_NONE, offsetof(type, utilization.operation), \
		.needs = FIELDS(PART(UTILIZATION)) },
/* clang-format on */

/* Values with the reasons for those that are unknown. */
struct utilization_figure {
	uint8_t why[UTILIZATION_FIELDS];
	struct utilization value;
};

struct utilization_figure utilization_unknown(enum reason why);

/* Nothing runs: exactly 0 %. */
struct utilization_figure utilization_idle(void);

/* Is a share known, or a program that has not ended? why is that of the fields above. */
bool utilization_is_shown(const uint8_t why[static UTILIZATION_FIELDS],
			  const struct utilization *value);

/*
 * Is the figure all of a program that was launched a second ago or earlier, and has not ended? Its
 * share says little. An upper bound includes it, and where there is one the host may not have
 * learned of the end.
 */
bool utilization_is_running(const uint8_t why[static UTILIZATION_FIELDS],
			    const struct utilization *value);

/*
 * Does a figure say more than another one of the same thing? An exact one says most, and of two
 * lower bounds the higher one.
 */
bool utilization_is_better(const struct utilization_figure *figure,
			   const struct utilization_figure *than);

/*
 * The union over the processes on a device, from their figures: of several only bounds are known,
 * since the times at which they ran may overlap. Initialise with { 0 }.
 */
struct utilization_union {
	struct utilization_figure figure;
	double most; /* the largest share that is exact or a lower bound */
	double sum;  /* of all shares */
	unsigned measured, unmeasured;
	unsigned bounds[BOUND_N];
	enum reason why; /* of the first that is not measured */
};

void utilization_union_add(struct utilization_union *sum, const struct utilization_figure *figure);

/* At least one figure must have been added. */
struct utilization_figure utilization_union_get(const struct utilization_union *sum);

/* The figure of a device that a further process uses whose share is unknown. */
void utilization_add_unknown(struct utilization_figure *figure, enum reason why);
