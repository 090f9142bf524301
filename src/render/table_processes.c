/* The box of processes. */
#include "render/table.h"

#include "render/lower_bound.h"
#include "render/columns.h"
#include "render/process_column.h"
#include "render/format.h"
#include "render/render.h"
#include "render/boxed_table.h"

#include <string.h>

enum { PLACE_PID, PLACE_NAME, PLACE_DEVICE, PLACE_DRAM, PLACE_L1, PLACE_STATUS };

/* clang-format off */
static const struct place {
	enum process_column column;
	bool extra; /* only if there is room */
} places[] = {
	[PLACE_PID] =    { COL_PID },
	[PLACE_NAME] =   { PROCESS_COLUMNS }, /* what people call it: process_label() */
	[PLACE_DEVICE] = { COL_DEVICES },
	[PLACE_DRAM] =   { COL_DRAM },
	[PLACE_L1] =     { COL_L1 },
	[PLACE_STATUS] = { COL_STATUS },
			 { COL_COMPUTE, true },
			 { COL_USER, true },
			 { COL_TIME, true },
			 { COL_OWNER, true },
			 { COL_COMMAND, true },
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(places) <= MAX_COLUMNS, "a plan holds all columns");

static bool is_device_memory(enum process_column column)
{
	return column == COL_DRAM || column == COL_L1;
}

static void put_label(struct boxed_table *box, size_t width, const struct row *row)
{
	char text[160];

	process_label(row->process, text, sizeof(text));
	boxed_table_cell(box, width, STYLE_BOLD, text);
}

static void put_cell(struct boxed_table *box, size_t width, const struct row *row)
{
	const struct process_scope scope = { .snapshot = row->snapshot };
	enum process_column column = places[row->column].column;
	CLEANUP_BUF struct buf text = { 0 };
	enum reason why;

	if (column == PROCESS_COLUMNS) {
		put_label(box, width, row);
		return;
	}
	why = process_column_reason(&scope, row->process, column);
	if ((is_device_memory(column) || column == COL_COMPUTE) &&
	    row->process->role == ROLE_MONITOR) {
		boxed_table_cell(box, width, STYLE_DIM, "-"); /* the status gives the reason */
	} else if (why != KNOWN && why != NOT_APPLICABLE) {
		cell_na(box, width);
	} else {
		if (column == COL_STATUS)
			status_text_within(&text, row->process, boxed_table_room(box, width));
		else
			process_column_text(&text, &scope, row->process, column,
					    box->options->utf8);
		cell_buf(box, width, STYLE_PLAIN, &text);
	}
}

static void make_columns(struct column ret[ARRAY_SIZE(places)])
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		ret[i] = column_make(i == PLACE_NAME ? &process_fields.fields[PROC_NAME].column
						     : process_column_form(places[i].column),
				     places[i].extra, put_cell);
}

/* A row for something other than a process in the snapshot. */
static void put_text_row(struct boxed_table *box, const struct plan *plan, const char *const *cells)
{
	boxed_table_begin(box);
	for (size_t i = PLACE_PID; i < PLACE_STATUS; i++)
		boxed_table_cell(box, plan->widths[i], STYLE_DIM, cells[i]);
	boxed_table_cell(box, 0, STYLE_DIM, cells[PLACE_STATUS]);
	boxed_table_end(box);
}

static void put_opens(struct boxed_table *box, const struct plan *plan, const struct device *dev,
		      const char *name, uint32_t times, const char *more)
{
	CLEANUP_BUF struct buf status = { 0 };

	if (!times)
		return;
	buf_printf(&status, "Device open (%u time%s%s)", times, times == 1 ? "" : "s", more);
	put_text_row(box, plan,
		     (const char *const[]){ "-", name, dev->id, "N/A", "N/A", buf_text(&status) });
}

static void put_unseen(struct boxed_table *box, const struct plan *plan, const struct device *dev)
{
	put_opens(box, plan, dev, "other namespace", dev->unseen_holders - dev->lost_openers, "");
	put_opens(box, plan, dev, "unknown", dev->lost_openers, ", opener gone");
}

static void put_stale_usage(struct boxed_table *box, const struct plan *plan,
			    const struct snapshot *snapshot, const struct stale_usage *stale)
{
	CLEANUP_BUF struct buf pid = { 0 }, dram = { 0 }, l1 = { 0 };

	buf_printf(&pid, "%d", stale->pid);
	format_bytes(&dram, stale->bytes[POOL_DRAM]);
	format_bytes(&l1, stale->bytes[POOL_L1]);
	put_text_row(box, plan,
		     (const char *const[]){ buf_text(&pid), stale->name,
					    snapshot->devices[stale->device].id, buf_text(&dram),
					    buf_text(&l1), stale_usage_status(stale) });
}

/* Says that there are no processes, or names a device whose processes could not be determined. */
static void put_no_processes(struct boxed_table *box, const struct snapshot *snapshot)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, "No processes using Tenstorrent devices");
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		/* Chips without a device node are skipped, unless the first row is one. */
		if (dev->holders_known || (!device_has_node(dev) && i > 0))
			continue;
		buf_printf(&text, " are visible (device %s: %s)", dev->id,
			   reason_text(dev->holders_why));
		break;
	}
	boxed_table_begin(box);
	cell_buf(box, 0, STYLE_DIM, &text);
	boxed_table_end(box);
}

static void put_rows(struct boxed_table *box, const struct plan *plan,
		     const struct snapshot *snapshot)
{
	bool any = snapshot->n_processes || snapshot->n_stale_usages;

	for (size_t i = 0; i < snapshot->n_processes; i++)
		plan_put_row(
			plan, box,
			&(struct row){ .snapshot = snapshot, .process = &snapshot->processes[i] });
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		if (snapshot->devices[i].unseen_holders) {
			put_unseen(box, plan, &snapshot->devices[i]);
			any = true;
		}
	}
	for (size_t i = 0; i < snapshot->n_stale_usages; i++)
		put_stale_usage(box, plan, snapshot, &snapshot->stale_usages[i]);
	if (!any)
		put_no_processes(box, snapshot);
}

/*
 * The width of the longest status, if the line has room: it takes precedence over optional
 * columns.
 */
static size_t status_width(const struct column *columns, const struct snapshot *snapshot,
			   size_t room)
{
	size_t width = columns[PLACE_STATUS].width;

	for (size_t i = 0; i < PLACE_STATUS; i++)
		room -= MIN(room, columns[i].width);
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		CLEANUP_BUF struct buf text = { 0 };

		status_text(&text, &snapshot->processes[i]);
		if (text.length < room)
			width = MAX(width, text.length + 1);
	}
	return width;
}

void process_box(struct boxed_table *box, const struct snapshot *snapshot)
{
	size_t room = box_room(box->options->columns);
	struct column columns[ARRAY_SIZE(places)];
	bool skip[ARRAY_SIZE(places)];
	struct plan plan;

	make_columns(columns);
	columns[PLACE_STATUS].width = status_width(columns, snapshot, room);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		skip[i] = !process_column_is_used(places[i].column,
						  &(struct process_scope){ .snapshot = snapshot });
	plan = plan_columns(columns, ARRAY_SIZE(columns), room, skip);
	boxed_table_rule(box, RULE_TOP);
	plan_put_headings(&plan, box);
	boxed_table_rule(box, RULE_MIDDLE);
	put_rows(box, &plan, snapshot);
	boxed_table_rule(box, RULE_BOTTOM);
}

/* Which of the two plans applies is known only after reading, so the fields of both are wanted. */
void process_box_wants(size_t room, struct want *want)
{
	struct column columns[ARRAY_SIZE(places)];
	bool skip[ARRAY_SIZE(places)] = { false };
	struct plan with, without;

	make_columns(columns);
	with = plan_columns(columns, ARRAY_SIZE(columns), room, skip);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		skip[i] = places[i].column == COL_COMPUTE;
	without = plan_columns(columns, ARRAY_SIZE(columns), room, skip);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if ((with.widths[i] || without.widths[i]) && places[i].column != PROCESS_COLUMNS)
			process_column_wants(places[i].column, want);
	/* The script of an interpreter is known without asking for command lines. */
	want_add_list(want, FIELDS(PROCESS_FIELD(NAME), PROCESS_FIELD(PROGRAM)));
}
