#include "render/process_column.h"

#include "model/growth.h"
#include "render/format.h"
#include "render/growth_text.h"
#include "render/lower_bound.h"
#include "render/render.h"
#include "render/utilization_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define MARK FIELDS(USAGE_FIELD(EXACT)) /* needed for the mark of incomplete figures */

/* clang-format off */
const struct process_column_info process_columns[PROCESS_COLUMNS] = {
	[COL_PID] = { "pid", "process id", PROCESS_FIELD(PID), .rank = 0 },
	[COL_USER] = { "user", "user name", PROCESS_FIELD(USER), .rank = 3 },
	[COL_DEVICES] = { "dev", "devices it has open", .shows = FIELDS(DEVICE_FIELD(ID)),
		.column = { "Device", 7, 6, .brief = "Dev" }, .rank = 1 },
	[COL_DRAM] = { "dram", "device memory on all of them", USAGE_FIELD(DRAM), MARK, .rank = 0 },
	[COL_PEAK] = { "peak", "highest device memory use so far", USAGE_FIELD(PEAK_DRAM), MARK, .rank = 6 },
	[COL_L1] = { "l1", "L1 on all of them", USAGE_FIELD(L1), MARK, .rank = 2 },
	[COL_GROWTH] = { "growth", "change of its memory while it was watched (memory view)",
		.column = { "Growth", 24, 18 }, .rank = 1 },
	[COL_COMPUTE] = { "compute", "share of the last second with a program on the cores, on its busiest device",
		USAGE_FIELD(UTILIZATION), FIELDS(USAGE_FIELD(BOUND), USAGE_FIELD(PROGRAMS), USAGE_FIELD(RUNNING)), .rank = 2 },
	[COL_CPU] = { "cpu", "share of one host core, in percent", PROCESS_FIELD(CPU), .rank = 4 },
	[COL_HOST] = { "host", "host memory", PROCESS_FIELD(HOST_MEMORY), .rank = 5 },
	[COL_TIME] = { "time", "how long it has been running", PROCESS_FIELD(ELAPSED), .rank = 4 },
	[COL_STATE] = { "state", "state of the process, as the kernel reports it", PROCESS_FIELD(STATE), .rank = 8 },
	[COL_OWNER] = { "owner", "container, pod, job or unit", PROCESS_FIELD(OWNER), .rank = 7 },
	[COL_STATUS] = { "status", "how its memory is known",
		.shows = FIELDS(USAGE_FIELD(DRAM), USAGE_FIELD(EXACT), USAGE_FIELD(TRACKING)),
		.column = { "Status", 37, 24, .screen = 26 }, .rank = 6 },
	[COL_COMMAND] = { "command", "its command line", PROCESS_FIELD(COMMAND), .rank = 0 },
};
/* clang-format on */

int process_column_find(const char *name, size_t length)
{
	for (int i = 0; i < PROCESS_COLUMNS; i++)
		if (strlen(process_columns[i].key) == length &&
		    strncasecmp(process_columns[i].key, name, length) == 0)
			return i;
	return -1;
}

/* NULL if the column combines several fields. */
static const struct field *field_of(enum process_column column)
{
	const struct field_ref *ref = &process_columns[column].field;

	if (ref->of == OF_USAGE)
		return &usage_fields.fields[ref->index];
	return ref->of == OF_PROCESS ? &process_fields.fields[ref->index] : NULL;
}

const struct column_form *process_column_form(enum process_column column)
{
	const struct field *field = field_of(column);

	return field ? &field->column : &process_columns[column].column;
}

const char *process_column_capitals(enum process_column column, char ret[COLUMN_HEADING])
{
	const struct column_form *form = process_column_form(column);
	const char *heading = form->brief ? form->brief : form->heading;
	size_t length = MIN(strlen(heading), COLUMN_HEADING - 1);

	for (size_t i = 0; i < length; i++)
		ret[i] = (char)toupper((unsigned char)heading[i]);
	ret[length] = '\0';
	return ret;
}

int process_column_screen_width(enum process_column column)
{
	const struct column_form *form = process_column_form(column);

	return form->screen ? form->screen : form->width;
}

enum column_kind process_column_kind(enum process_column column)
{
	const struct field *field = field_of(column);

	if (column == COL_GROWTH)
		return KIND_BYTES;
	if (!field || field->kind == K_STRING || field->kind == K_TEXT || field->kind == K_ENUM)
		return KIND_TEXT;
	if (field->unit == U_BYTE)
		return KIND_BYTES;
	return field->unit == U_SECOND ? KIND_SECONDS : KIND_NUMBER;
}

void process_column_wants(enum process_column column, struct want *want)
{
	const struct process_column_info *info = &process_columns[column];

	if (info->field.of != OF_NOTHING)
		want_add(want, info->field.of, info->field.index);
	want_add_list(want, info->shows);
}

static bool is_device_memory(enum process_column column)
{
	return process_columns[column].field.of == OF_USAGE && column != COL_COMPUTE;
}

bool process_column_is_used(enum process_column column, const struct process_scope *scope)
{
	const struct snapshot *snapshot = scope->snapshot;

	if (column == COL_GROWTH)
		return scope->dev && scope->history;
	for (size_t i = 0; column == COL_COMPUTE && i < snapshot->n_processes; i++)
		if (process_find_busiest(&snapshot->processes[i]))
			return true;
	return column != COL_COMPUTE;
}

/* The usage that the scope selects; NULL: none, or that of all devices. */
static const struct usage *usage_in(const struct process_scope *scope,
				    const struct process *process)
{
	if (!scope->dev)
		return NULL;
	return process_find_usage(process, (size_t)(scope->dev - scope->snapshot->devices));
}

static const struct usage *busiest_in(const struct process_scope *scope,
				      const struct process *process)
{
	return scope->dev ? usage_in(scope, process) : process_find_busiest(process);
}

static bool memory_in(const struct process_scope *scope, const struct process *process,
		      enum usage_field field, uint64_t *ret)
{
	const struct usage *usage = usage_in(scope, process);
	struct value value;

	if (!scope->dev)
		return process_total(process, field, ret);
	if (!usage)
		return false;
	field_get(&usage_fields, field, usage, &value);
	*ret = value.exact;
	return value.why == KNOWN;
}

static const char *lower_bound_in(const struct process_scope *scope, const struct process *process,
				  enum usage_field field, bool utf8)
{
	const struct usage *usage = usage_in(scope, process);

	return usage ? lower_bound_of_usage(usage, field, utf8)
		     : lower_bound_of_process(process, field, utf8);
}

static const struct series *series_in(const struct process_scope *scope,
				      const struct process *process)
{
	return scope->dev && scope->history
		       ? history_of_process(scope->history, process, scope->dev)
		       : NULL;
}

/* Of the device that the scope selects, otherwise of the first one where the field is unknown. */
static enum reason usage_reason(const struct process_scope *scope, const struct process *process,
				enum usage_field field)
{
	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];

		if ((!scope->dev || usage == usage_in(scope, process)) &&
		    usage->why[field] != KNOWN)
			return usage->why[field];
	}
	return NOT_REPORTED;
}

enum reason process_column_reason(const struct process_scope *scope, const struct process *process,
				  enum process_column column)
{
	const struct field_ref *ref = &process_columns[column].field;
	const struct usage *busiest = busiest_in(scope, process);
	uint64_t sum;

	if (column == COL_COMPUTE)
		return busiest && utilization_is_shown(busiest->why + USE_UTILIZATION,
						       &busiest->utilization)
			       ? KNOWN
			       : usage_reason(scope, process, USE_UTILIZATION);
	if (ref->of == OF_USAGE)
		return memory_in(scope, process, ref->index, &sum)
			       ? KNOWN
			       : usage_reason(scope, process, ref->index);
	return ref->of == OF_PROCESS ? process->why[ref->index] : KNOWN;
}

/* In percent. */
static bool compute_number(const struct process_scope *scope, const struct process *process,
			   double *ret)
{
	const struct usage *busiest = busiest_in(scope, process);

	*ret = busiest ? busiest->utilization.share * 100 : 0;
	return busiest && busiest->why[USE_UTILIZATION] == KNOWN;
}

static bool growth_number(const struct process_scope *scope, const struct process *process,
			  double *ret)
{
	struct growth growth = growth_judge(series_in(scope, process));

	*ret = (double)growth.bytes;
	return growth.trend != TREND_UNKNOWN;
}

bool process_column_number(const struct process_scope *scope, const struct process *process,
			   enum process_column column, double *ret)
{
	const struct field_ref *ref = &process_columns[column].field;
	struct value value;
	uint64_t sum = 0;

	if (column == COL_DEVICES) { /* sort by the first device */
		*ret = process->n_usages ? (double)process->usages[0].device : 0;
		return process->n_usages > 0;
	}
	if (column == COL_COMPUTE)
		return compute_number(scope, process, ret);
	if (column == COL_GROWTH)
		return growth_number(scope, process, ret);
	if (process_column_kind(column) == KIND_TEXT)
		return false;
	if (is_device_memory(column)) {
		bool known = memory_in(scope, process, ref->index, &sum);

		*ret = (double)sum;
		return known;
	}
	field_get(&process_fields, ref->index, process, &value);
	*ret = value.field->unit == U_RATIO ? value.number * 100 : value.number;
	return value.why == KNOWN;
}

static void put_number(struct buf *out, enum process_column column, double number)
{
	switch (process_column_kind(column)) {
	case KIND_BYTES: format_bytes(out, (uint64_t)number); break;
	case KIND_SECONDS: format_duration(out, number); break;
	case KIND_NUMBER:
		if (field_of(column)->unit == U_RATIO)
			format_tenths(out, number);
		else
			format_whole(out, number);
		break;
	case KIND_TEXT: break;
	}
}

static void put_text(struct buf *out, const struct process *process, enum process_field field)
{
	struct value value;

	field_get(&process_fields, field, process, &value);
	if (value.why == KNOWN)
		buf_puts(out, value.text);
	else
		buf_puts(out, value.why == NOT_APPLICABLE ? "-" : "N/A");
}

static void put_command(struct buf *out, const struct process *process)
{
	char label[64];

	if (process_knows(process, PROC_COMMAND)) {
		buf_puts(out, process->command);
		return;
	}
	process_label(process, label, sizeof(label));
	buf_puts(out, label);
}

/* A monitor computes nothing. */
static void put_compute(struct buf *out, const struct process_scope *scope,
			const struct process *process, bool utf8)
{
	const struct usage *busiest = busiest_in(scope, process);

	if (busiest)
		utilization_put(out, busiest->why + USE_UTILIZATION, &busiest->utilization, utf8);
	else
		buf_puts(out, process->role == ROLE_MONITOR ? "-" : "N/A");
}

static void put_figure(struct buf *out, const struct process_scope *scope,
		       const struct process *process, enum process_column column, bool utf8)
{
	double number;

	if (column == COL_PID && process->pid == 0) {
		buf_puts(out, "?");
	} else if (process->role == ROLE_MONITOR && is_device_memory(column)) {
		/* It has none; the DRAM column, which is always shown, gives the reason. */
		buf_puts(out, column == COL_DRAM ? role_names[ROLE_MONITOR] : "-");
	} else if (process_column_number(scope, process, column, &number)) {
		if (is_device_memory(column))
			buf_puts(out, lower_bound_in(scope, process,
						     process_columns[column].field.index, utf8));
		put_number(out, column, number);
	} else {
		buf_puts(out, "N/A");
	}
}

void process_column_text(struct buf *out, const struct process_scope *scope,
			 const struct process *process, enum process_column column, bool utf8)
{
	if (column == COL_DEVICES)
		devices_text(out, scope->snapshot, process);
	else if (column == COL_GROWTH)
		growth_put(out, series_in(scope, process), true);
	else if (column == COL_STATUS)
		status_text(out, process);
	else if (column == COL_COMMAND)
		put_command(out, process);
	else if (column == COL_COMPUTE)
		put_compute(out, scope, process, utf8);
	else if (process_column_kind(column) == KIND_TEXT)
		put_text(out, process, process_columns[column].field.index);
	else
		put_figure(out, scope, process, column, utf8);
}

static int compare_texts(const struct process_scope *scope, const struct process *a,
			 const struct process *b, enum process_column column)
{
	CLEANUP_BUF struct buf left = { 0 }, right = { 0 };

	process_column_text(&left, scope, a, column, false);
	process_column_text(&right, scope, b, column, false);
	return strcmp(buf_text(&left), buf_text(&right));
}

/* A process without a command line is shown by its name. */
static bool has_text(const struct process_scope *scope, const struct process *process,
		     enum process_column column)
{
	return column == COL_COMMAND || process_column_reason(scope, process, column) == KNOWN;
}

static bool is_sorted_by_text(enum process_column column)
{
	return process_column_kind(column) == KIND_TEXT && column != COL_DEVICES;
}

/* "run 12s": its chip is busy with it, or waits for it. */
static bool is_running(const struct process_scope *scope, const struct process *process)
{
	const struct usage *busiest = busiest_in(scope, process);

	return busiest &&
	       utilization_is_running(busiest->why + USE_UTILIZATION, &busiest->utilization);
}

struct process_key process_column_key(const struct process_scope *scope,
				      const struct process *process, enum process_column column)
{
	struct process_key key = { .process = process };

	key.known = is_sorted_by_text(column)
			    ? has_text(scope, process, column)
			    : process_column_number(scope, process, column, &key.number);
	if (column == COL_COMPUTE && is_running(scope, process)) {
		key.known = true;
		key.number = INFINITY; /* above all shares */
	}
	return key;
}

int process_column_compare(const struct process_scope *scope, const struct process_key *a,
			   const struct process_key *b, enum process_column column, bool down)
{
	int order;

	if (!a->known || !b->known)
		return b->known - a->known;
	order = is_sorted_by_text(column) ? compare_texts(scope, a->process, b->process, column)
					  : (a->number > b->number) - (a->number < b->number);
	return down ? -order : order;
}

bool process_column_starts_down(enum process_column column)
{
	return column != COL_PID && column != COL_DEVICES &&
	       process_column_kind(column) != KIND_TEXT;
}
