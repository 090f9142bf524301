/*
 * The findings of an examination: area, device, severity, text and fixes; and the values that were
 * measured. tt_smi doctor and tt_smi check are two renderers of it.
 */
#pragma once

#include "basic/buf.h"
#include "doctor/area.h"
#include "doctor/level.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct finding {
	enum area area;
	enum level level;
	bool unexamined; /* this could not be examined; its level is LEVEL_NOTE */
	char device[24]; /* its id; empty: not about one device */
	int32_t pid;	 /* 0: not about a process */
	char *subject;	 /* e.g. "1001 python3 of root, device 0"; NULL: included in the text */
	char *text;
	char **fixes;
	size_t n_fixes;
};

/* A measured value. A limit that it reaches makes it a warning, or critical; NAN: no limit. */
struct measure {
	char device[24];
	const char *name; /* "temperature" */
	const char *unit; /* as monitoring plugins have it: "C", "W", "c" for a counter */
	double value, warning, critical;
};

struct report {
	unsigned areas;	    /* those to examine, as AREA_BIT() */
	unsigned requested; /* the part of them that was requested by name */
	enum area area;	    /* for findings added from now on */
	const char *device; /* the same; NULL: none */
	bool dropped;	    /* the last finding was of another area */
	struct finding *findings;
	size_t count;
	struct measure *measures;
	size_t n_measures;
	bool failed; /* out of memory: the report is incomplete */
};

/* Is this area to be examined? */
static inline bool report_covers(const struct report *report, enum area area)
{
	return report->areas & AREA_BIT(area);
}

/*
 * Findings of areas that are not to be examined are dropped, except that the driver or a device
 * does not work: nothing else can be examined then.
 */
void report_add(struct report *report, enum level level, const char *format, ...) PRINTF(3, 4);

/* The same for a process or, if pid is 0, for another subject. */
void report_add_about(struct report *report, enum level level, int32_t pid, const char *subject,
		      const char *format, ...) PRINTF(5, 6);

/* Something could not be examined. */
void report_add_unexamined(struct report *report, const char *format, ...) PRINTF(2, 3);

/* Adds a fix to the last finding: a command, or a sentence. */
void report_fix(struct report *report, const char *format, ...) PRINTF(2, 3);

/* Records a value of the current device. Returns the severity that its limits give it. */
enum level report_measure(struct report *report, const struct measure *measure);

/* LEVEL_OK if there is no finding. */
enum level report_worst(const struct report *report);

/* Could something not be examined that was requested by name? */
bool report_is_incomplete(const struct report *report);

void report_done(struct report *report);
