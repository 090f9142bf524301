/*
 * Columns of processes, shared by the table and the full screen: the text of each, and its number
 * for sorting and filtering. A column shows one field, whose line in the field table gives heading,
 * width, alignment, kind and unit; other columns combine several fields.
 */
#pragma once

#include "basic/buf.h"
#include "model/history.h"
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
	COL_GROWTH,
	COL_COMPUTE,
	COL_CPU,
	COL_HOST,
	COL_TIME,
	COL_STATE,
	COL_OWNER,
	COL_STATUS,
	COL_COMMAND,
	PROCESS_COLUMNS,
};

enum { COLUMN_HEADING = 16 }; /* size of a heading, including the NUL */

enum column_kind { KIND_TEXT, KIND_NUMBER, KIND_BYTES, KIND_SECONDS };

struct process_column_info {
	const char *key; /* its name in filters and settings */
	const char *help;
	struct field_ref
		field; /* a usage field is that of all devices; OF_NOTHING: several fields */
	const struct field_ref *shows; /* further fields that it shows; may be NULL */
	struct column_form column;     /* if there is no single field, whose column it would be */
	int rank; /* when space is short, columns with the highest rank are dropped first */
};

extern const struct process_column_info process_columns[PROCESS_COLUMNS];

/* What the figures of a process are taken from: the whole machine, or one device of it. */
struct process_scope {
	const struct snapshot *snapshot;
	const struct device *dev;      /* memory on this device; NULL: on all of them */
	const struct history *history; /* growth since then; may be NULL */
};

/* Returns -1 if there is no such column. The name need not be NUL-terminated. */
int process_column_find(const char *name, size_t length);

/* Heading, widths and alignment. */
const struct column_form *process_column_form(enum process_column column);
/* Heading, in capitals, and width on the full screen. */
const char *process_column_capitals(enum process_column column, char ret[COLUMN_HEADING]);
int process_column_screen_width(enum process_column column);
enum column_kind process_column_kind(enum process_column column);

/* Adds the fields that the column shows. */
void process_column_wants(enum process_column column, struct want *want);

/*
 * Does it have something to show? Compute utilisation only if it is known of a process, growth only
 * of a single device that is watched.
 */
bool process_column_is_used(enum process_column column, const struct process_scope *scope);

/* The reason why a process has no value in this column, or KNOWN. */
enum reason process_column_reason(const struct process_scope *scope, const struct process *process,
				  enum process_column column);

/* The text of the column, "N/A" if unknown. Control characters are kept. */
void process_column_text(struct buf *out, const struct process_scope *scope,
			 const struct process *process, enum process_column column, bool utf8);

/* Returns false if the number is unknown, or the column has none. */
bool process_column_number(const struct process_scope *scope, const struct process *process,
			   enum process_column column, double *ret);

/* What a process is sorted by, made once for many comparisons. */
struct process_key {
	const struct process *process;
	bool known;
	double number; /* 0 for columns of texts */
};

struct process_key process_column_key(const struct process_scope *scope,
				      const struct process *process, enum process_column column);

/* Like strcmp(). Unknown values sort last in both directions. */
int process_column_compare(const struct process_scope *scope, const struct process_key *a,
			   const struct process_key *b, enum process_column column, bool down);

/* Numbers are sorted in descending order by default, names in ascending order. */
bool process_column_starts_down(enum process_column column);
