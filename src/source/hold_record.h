/*
 * What was learned about each process that may have a device open: one record per process,
 * which every step of source/holders.c adds to and model/hold.h judges.
 */
#pragma once

#include "basic/macros.h"
#include "model/hold.h"
#include "model/process.h"
#include "proto/traced.h"

#include <stddef.h>
#include <stdint.h>

struct hold_record {
	int32_t pid;
	struct hold_evidence evidence;
	int32_t tables[PROCESS_TABLES]; /* descriptors of libttalloc tables */
	unsigned n_tables;
	char comm[TRACED_COMM]; /* as the kernel's list has it; may be empty */
};

struct hold_records {
	struct hold_record *list; /* by pid, after hold_records_sort() */
	size_t count, room;
	size_t n_sorted;
};

/*
 * The record of a process, added if there is none. Callers add processes in ascending order
 * between two hold_records_sort(). NULL: no memory.
 */
struct hold_record *hold_records_get(struct hold_records *records, int32_t pid);

void hold_records_sort(struct hold_records *records);
void hold_records_clear(struct hold_records *records);
void hold_records_done(struct hold_records *records);
