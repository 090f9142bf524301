/*
 * Examines a machine: what is wrong, what is unknown, and how to fix it. It writes nothing and
 * opens no device.
 *
 * Only a heartbeat that does not change reveals hung firmware, so the snapshot must be the second
 * of two.
 */
#pragma once

#include "basic/root.h"
#include "doctor/report.h"
#include "model/snapshot.h"

/* Is tracing on? TRACING_ELSEWHERE: its pids are those of the host, and we are in a container. */
enum tracing { TRACING_OFF, TRACING_ON, TRACING_UNREADABLE, TRACING_ELSEWHERE };

struct doctor_context {
	const struct root *root;
	const struct snapshot *snapshot; /* of everything; NULL: nothing is there */
	const char *problem;		 /* then why */
	bool driver_loaded;
	bool trace_built;     /* was tt_smi built with tracing? */
	enum tracing tracing; /* as doctor_examine() found it */
	bool can_trace;	      /* the program for it is installed, the kernel able to */
};

enum tracing find_tracing(const struct root *root);

void doctor_examine(struct doctor_context *context, struct report *report);

/* The parts. */
void examine_driver(const struct doctor_context *context, struct report *report);
void examine_devices(const struct doctor_context *context, struct report *report);
void examine_nodes(const struct doctor_context *context, struct report *report);
void examine_huge_pages(const struct doctor_context *context, struct report *report);
void examine_server(const struct doctor_context *context, struct report *report);
void examine_tracing(struct doctor_context *context, struct report *report);
void examine_processes(const struct doctor_context *context, struct report *report);
