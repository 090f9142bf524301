/*
 * Columns of processes, for the table and the full screen: what each says of a process, as
 * text and as a number to sort and to filter by. A column shows one field, whose line in
 * the field table gives heading, width, alignment, kind and unit; two are made of several fields.
 */
#pragma once

#include "basic/buf.h"
#include "model/snapshot.h"
#include "model/want.h"

#include <stdbool.h>
#include <stddef.h>

enum process_column {
	COL_PID,
	COL_USER,
	COL_DEVICES,
	COL_DRAM,
	COL_PEAK,
	COL_L1,
	COL_CPU,
	COL_HOST,
	COL_TIME,
	COL_STATE,
	COL_OWNER,
	COL_STATUS,
	COL_COMMAND,
	PROCESS_COLUMNS,
};

enum { COLUMN_HEADING = 16 }; /* bytes of a heading, NUL included */

enum column_kind { KIND_TEXT, KIND_NUMBER, KIND_BYTES, KIND_SECONDS };

struct process_column_info {
	const char *key; /* in filters and settings */
	const char *help;
	struct field_ref field; /* of a usage: the sum over all devices; OF_NOTHING: several */
	const struct field_ref *shows; /* what else it is made of; NULL: nothing */
	const char *heading;	       /* without a field: as in the field's line */
	int width;
	int rank; /* where there is no room for all, those of the highest rank go first */
};

extern const struct process_column_info process_columns[PROCESS_COLUMNS];

/* -1: there is no such column. The name need not be NUL-terminated. */
int process_column_find(const char *name, size_t length);

const char *process_column_heading(enum process_column column);
/* The heading in capitals, as the full screen has it. */
const char *process_column_capitals(enum process_column column, char ret[COLUMN_HEADING]);
int process_column_width(enum process_column column);
enum align process_column_align(enum process_column column);
enum column_kind process_column_kind(enum process_column column);

/* Adds the fields that it shows. */
void process_column_wants(enum process_column column, struct want *want);

/* Why it has nothing to say of this process; KNOWN: it has. */
enum reason process_column_reason(const struct process *process, enum process_column column);

/* What it says: "N/A" if it is not known. Text from elsewhere is not cleaned. */
void process_column_text(struct buf *out, const struct snapshot *snapshot,
			 const struct process *process, enum process_column column, bool utf8);

/* Its number; false if it is not known, or the column has none. */
bool process_column_number(const struct process *process, enum process_column column, double *ret);

/* Below, equal to or above 0; what is not known comes last, whatever the direction. */
int process_column_compare(const struct snapshot *snapshot, const struct process *a,
			   const struct process *b, enum process_column column, bool down);
