/*
 * Memory: which of several origins to believe, and what follows for the device.
 *
 * For one process on one device the best single origin wins; origins are never
 * added up. Afterwards, per device and pool:
 *
 *	sum of its live processes == used <= total
 *
 * where used is known. Monitors (model/role.h) have no memory and leave nothing unknown.
 * A figure that would break this is not shown: it becomes
 * IMPLAUSIBLE. Pure functions of the snapshot, no clock, no files.
 */
#pragma once

#include "model/snapshot.h"

struct memory_report {
	int32_t pid;	      /* in our namespace */
	uint64_t start_ticks; /* whose number it was; 0: not known */
	size_t device;
	bool connected; /* a client of the server, whatever else is known */
	enum tracking source;
	uint64_t bytes[POOL_COUNT]; /* apart: DRAM without trace buffers, L1 without L1_SMALL */
	bool has_peak;
	uint64_t peak[POOL_COUNT]; /* of DRAM and L1 */
	bool has_counts; /* every allocation was seen: all pools, and the counts that follow */
	uint64_t allocs, frees, failures;
	bool has_held; /* the present is seen: POOL_SYSTEM, and how many allocations are held */
	uint64_t held;
	bool low;		      /* not everything was seen: figures are at least this */
	struct allocation_list *list; /* NULL: not asked for, or none to be had */
};

/*
 * Adds the figures of another part of the same process and origin, its list too:
 * a process can have several tables, and two numbers for one device.
 */
void memory_report_add(struct memory_report *report, const struct memory_report *part);

/*
 * Chooses between the reports, and judges the roles too, since a process that reports memory is not
 * a monitor. Reports of processes that are not in the snapshot are ignored. The lists of the chosen
 * reports move to the snapshot.
 */
void merge_memory(struct snapshot *snapshot, const struct memory_report *reports, size_t count);
