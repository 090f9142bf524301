/*
 * Columns of the list of processes: what each says of one, as text, as a number to sort
 * and to filter by.
 */
#pragma once

#include "basic/buf.h"
#include "model/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

enum task_column {
	TASK_PID,
	TASK_USER,
	TASK_DEVICES,
	TASK_DRAM,
	TASK_PEAK,
	TASK_L1,
	TASK_CPU,
	TASK_HOST,
	TASK_TIME,
	TASK_STATE,
	TASK_OWNER,
	TASK_STATUS,
	TASK_COMMAND,
	TASK_N,
};

enum task_kind { KIND_TEXT, KIND_NUMBER, KIND_BYTES, KIND_SECONDS };

struct task_info {
	const char *key; /* in filters and settings */
	const char *heading;
	int width;
	bool right;
	int rank; /* where there is no room for all, those of the highest rank go first */
	enum task_kind kind;
	const char *help;
};

extern const struct task_info task_infos[TASK_N];

/* -1: there is no such column. The name need not be NUL-terminated. */
int task_column_find(const char *name, size_t length);

/* What it says: "N/A" if it is not known. Text from elsewhere is not cleaned. */
void task_text(struct buf *out, const struct snapshot *snapshot, const struct process *process,
	       enum task_column column);

/* Its number; false if it is not known, or the column has none. */
bool task_number(const struct process *process, enum task_column column, double *ret);

/* Below, equal to or above 0; what is not known comes last, whatever the direction. */
int task_compare(const struct snapshot *snapshot, const struct process *a, const struct process *b,
		 enum task_column column, bool down);
