/*
 * Combines memory reports: selects the source to trust for each process, and sums up per device.
 *
 * For one process on one device the best single source is used; sources are never added up.
 * Afterwards, per device and pool:
 *
 *         sum of its live processes == used <= total
 *
 * if used is known. Monitors (model/role.h) have no memory and leave nothing unknown. A figure that
 * would violate this becomes IMPLAUSIBLE. Pure functions of the snapshot, no clock, no files.
 */
#pragma once

#include "model/snapshot.h"

struct memory_report {
	int32_t pid;	      /* in our pid namespace */
	uint64_t start_ticks; /* start time of the process, to detect a reused pid; 0: unknown */
	size_t device;
	bool connected; /* a client of the server */
	enum tracking source;
	uint64_t bytes[POOL_COUNT]; /* disjoint: DRAM without trace buffers, L1 without L1_SMALL */
	uint8_t why[POOL_COUNT];    /* enum reason: KNOWN, or why there is no figure for the pool */
	bool has_peak;
	uint64_t peak[POOL_COUNT]; /* of DRAM and L1 */
	bool has_counts;	   /* every allocation was counted: the totals below */
	struct allocation_count counts[POOL_COUNT];
	uint64_t frees;
	bool has_held; /* the number of current allocations is known */
	uint64_t held;
	int64_t changed_ns;	      /* CLOCK_MONOTONIC, when it last changed; 0: not known */
	bool low;		      /* incomplete: the figures are lower bounds */
	struct allocation_list *list; /* NULL: not requested, or not available */
};

/* An empty report from this source, with the reasons of the pools that it cannot see. */
struct memory_report memory_report_make(int32_t pid, enum tracking source);

/* The counts of all pools. */
struct allocation_count memory_report_total(const struct memory_report *report);

/*
 * Adds the figures and the list of another report of the same process and source: a process can
 * have several tables, and two numbers for one device.
 */
void memory_report_add(struct memory_report *report, const struct memory_report *part);

/*
 * Selects among the reports and determines the roles, since a process that reports memory is not a
 * monitor. Reports of processes that are not in the snapshot are ignored. The lists of the selected
 * reports are moved to the snapshot.
 */
void merge_memory(struct snapshot *snapshot, const struct memory_report *reports, size_t count);
