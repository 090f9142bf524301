/*
 * Turns amounts into single allocations and frees, as reported by a program through libttalloc or
 * to the legacy socket.
 */
#pragma once

#include "basic/macros.h"
#include "workload.h"

#include <stdint.h>

/* The allocations in one pool of one device, in the order they were made. */
#define REPORT_MOST 1024
struct report_stack {
	uint64_t sizes[REPORT_MOST];
	unsigned count;
	uint64_t bytes;
};

struct workload_report {
	struct report_stack stacks[MAX_DEVICES][POOLS];
	int socket; /* via=socket only; -1: not connected */
};

/* Reports one allocation, or a free if size is 0. */
struct report_event {
	unsigned device; /* index in the job */
	unsigned logical;
	enum sim_pool pool;
	uint64_t id;
	uint64_t size;
};
typedef void report_function(struct workload_report *report, const struct report_event *event);

/* Allocates and frees until the given amount is held on a device. */
void report_reach(struct workload_report *report, unsigned device, unsigned logical,
		  const uint64_t bytes[static POOLS], report_function *tell);

report_function report_to_table, report_to_socket;

/* -errno: no server. */
MUST_CHECK int report_connect(struct workload_report *report, const char *path);
