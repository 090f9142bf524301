/*
 * Examines a machine: what is wrong, what is unknown, and how to fix it. It writes nothing and
 * opens no device.
 *
 * Only a heartbeat that does not change reveals hung firmware, so the snapshot must be the second
 * of two.
 */
#pragma once

#include "basic/root.h"
#include "doctor/alarm.h"
#include "doctor/report.h"
#include "model/snapshot.h"

/*
 * The state of tracing. TRACING_ELSEWHERE: its pids are those of the host, and this is a container.
 */
enum tracing { TRACING_OFF, TRACING_ON, TRACING_UNREADABLE, TRACING_ELSEWHERE };

struct doctor_context {
	const struct root *root;	 /* NULL: examine_devices() reads no files */
	const struct snapshot *snapshot; /* with all fields; NULL: there are no devices */
	const char *problem;		 /* why there is no snapshot */
	bool driver_loaded;
	bool named;	   /* the devices were selected by name */
	unsigned expected; /* number of devices that there should be; 0: any */
	struct alarms alarms;
	bool trace_built;     /* was tt_smi built with tracing? */
	enum tracing tracing; /* set by doctor_examine() */
	bool can_trace;	      /* the tracer is installed and the kernel supports it */
};

/* Does no job have it open? Monitors do not count. False also if that is unknown. */
bool device_is_idle(const struct snapshot *snapshot, const struct device *dev);

/* "n150", "unknown board" */
const char *board_name(const struct device *dev);

/* The examinations of one device that need no reading of the chip. */
void examine_pcie(const struct doctor_context *context, const struct device *dev,
		  struct report *report);

enum tracing find_tracing(const struct root *root);

void doctor_examine(struct doctor_context *context, struct report *report);

/* The parts of an examination. */
void examine_driver(const struct doctor_context *context, struct report *report);
void examine_unserved(const struct doctor_context *context, struct report *report);
void examine_devices(const struct doctor_context *context, struct report *report);
void examine_nodes(const struct doctor_context *context, struct report *report);
void examine_huge_pages(const struct doctor_context *context, struct report *report);
void examine_kernel_log(const struct doctor_context *context, struct report *report);
void examine_idle(const struct doctor_context *context, struct report *report);
void examine_server(const struct doctor_context *context, struct report *report);
/* Returns whether programs can be traced here. */
bool examine_tracing(const struct doctor_context *context, struct report *report);
void examine_processes(const struct doctor_context *context, struct report *report);
void examine_utilization(const struct doctor_context *context, struct report *report);
