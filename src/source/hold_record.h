/*
 * The evidence about each process that may have a device open: one record per process, filled by
 * the steps of source/holders.c and judged by model/hold.h.
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
	struct table_fds tables, program_tables;
	char comm[TRACED_COMM]; /* from the kernel's list; may be empty */
};

struct hold_records {
	struct hold_record *list; /* by pid, after hold_records_sort() */
	size_t count, room;
	size_t n_sorted;
};

/*
 * The record of a process, added if there is none. Between two hold_records_sort() processes must
 * be added in ascending order. NULL: out of memory.
 */
struct hold_record *hold_records_get(struct hold_records *records, int32_t pid);

void hold_records_sort(struct hold_records *records);
void hold_records_done(struct hold_records *records);
