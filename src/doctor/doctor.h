/*
 * Looks a machine over: what is wrong, what is not known, and what would change that.
 * Nothing is written, no device is opened.
 *
 * Hung firmware shows in nothing but a heartbeat that stands still, so the snapshot must be the
 * second of two.
 */
#pragma once

#include "basic/root.h"
#include "doctor/report.h"
#include "model/snapshot.h"

/* How it is with tracing, since much depends on it. Elsewhere: by the numbers of the host. */
enum tracing { TRACING_OFF, TRACING_ON, TRACING_UNREADABLE, TRACING_ELSEWHERE };

struct patient {
	const struct root *root;
	const struct snapshot *snapshot; /* of everything; NULL: nothing is there */
	const char *problem;		 /* then why */
	bool driver_loaded;
	bool trace_built;     /* was tt_smi built with tracing? */
	enum tracing tracing; /* as doctor_examine() found it */
	bool can_trace;	      /* the program for it is installed, the kernel able to */
};

enum tracing find_tracing(const struct root *root);

void doctor_examine(struct patient *patient, struct report *report);

/* The parts. */
void examine_driver(const struct patient *patient, struct report *report);
void examine_devices(const struct patient *patient, struct report *report);
void examine_nodes(const struct patient *patient, struct report *report);
void examine_huge_pages(const struct patient *patient, struct report *report);
void examine_server(const struct patient *patient, struct report *report);
void examine_tracing(struct patient *patient, struct report *report);
void examine_processes(const struct patient *patient, struct report *report);
