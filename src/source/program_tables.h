/*
 * Compute utilisation of programs that were started with `tt_smi run`: each publishes what it runs
 * in a table of its own (metal/program_table.h), which users that may read its descriptors can
 * open.
 */
#pragma once

#include "metal/program_figure.h"
#include "proto/dispatch.h"
#include "source/source.h"

/* A chip in the table of a process. */
struct program_table_entry {
	int32_t pid;
	uint32_t chip;
	struct program_figure figure;
	struct program_intervals busy;
};

/* The tables of all processes. Initialise with { 0 }. */
struct program_tables {
	struct program_table_entry *list;
	size_t count;
};

void program_tables_done(struct program_tables *tables);

/*
 * Adds the table of a process. Returns the number of its lines, as the tracer would write them, 0
 * if it has no table; the caller frees *ret. -ENOMEM
 */
MUST_CHECK int program_tables_read(struct program_tables *tables, struct sample *sample,
				   const struct process *process, struct dispatch_line **ret);

/* The jobs on a device. Initialise with { 0 }. */
struct program_users {
	struct program_user list[PROGRAM_UNION_MAX];
	size_t count;
	bool has_others; /* without a figure in a table */
};

/* Adds a job on a device. */
void program_users_add(struct program_users *users, const struct program_tables *tables,
		       const struct snapshot *snapshot, const struct process *process,
		       size_t device);

/* The line of their device, as the tracer would write it. False: there are fewer than two. */
bool program_users_join(const struct program_users *users, struct dispatch_line *ret);
