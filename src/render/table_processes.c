/* The box of processes. */
#include "render/table.h"

#include "render/lower_bound.h"
#include "render/columns.h"
#include "render/format.h"
#include "render/render.h"
#include "render/boxed_table.h"

#include <string.h>

static void put_pid(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_printf(&text, "%d", row->process->pid);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_label(struct boxed_table *box, size_t width, const struct row *row)
{
	char text[160];

	process_label(row->process, text, sizeof(text));
	boxed_table_cell(box, width, STYLE_BOLD, text);
}

static void put_devices(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	devices_text(&text, row->snapshot, row->process);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

/* The sum over its devices, a lower bound if one of them is not known. */
static void put_sum(struct boxed_table *box, size_t width, const struct process *process,
		    enum usage_field field)
{
	CLEANUP_BUF struct buf text = { 0 };
	uint64_t sum;

	if (process->role == ROLE_MONITOR) {
		boxed_table_cell(box, width, STYLE_DIM, "-");
		return;
	}
	if (!process_total(process, field, &sum)) {
		cell_na(box, width);
		return;
	}
	buf_puts(&text, lower_bound_of_process(process, field, box->options->utf8));
	format_bytes(&text, sum);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_dram(struct boxed_table *box, size_t width, const struct row *row)
{
	put_sum(box, width, row->process, USE_DRAM);
}

static void put_l1(struct boxed_table *box, size_t width, const struct row *row)
{
	put_sum(box, width, row->process, USE_L1);
}

static void put_status(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	status_text_within(&text, row->process, boxed_table_room(box, width));
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_text(struct boxed_table *box, size_t width, const struct process *process,
		     enum process_field field)
{
	struct value value;

	field_get(&process_fields, field, process, &value);
	if (value.why == KNOWN)
		boxed_table_cell(box, width, STYLE_PLAIN, value.text);
	else if (value.why == NOT_APPLICABLE)
		boxed_table_cell(box, width, STYLE_PLAIN, "-");
	else
		cell_na(box, width);
}

static void put_user(struct boxed_table *box, size_t width, const struct row *row)
{
	put_text(box, width, row->process, PROC_USER);
}

static void put_elapsed(struct boxed_table *box, size_t width, const struct row *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (!process_knows(row->process, PROC_ELAPSED)) {
		cell_na(box, width);
		return;
	}
	format_duration(&text, row->process->elapsed);
	cell_buf(box, width, STYLE_PLAIN, &text);
}

static void put_owner(struct boxed_table *box, size_t width, const struct row *row)
{
	put_text(box, width, row->process, PROC_OWNER);
}

static void put_command(struct boxed_table *box, size_t width, const struct row *row)
{
	put_text(box, width, row->process, PROC_COMMAND);
}

enum { COLUMN_PID, COLUMN_NAME, COLUMN_DEVICE, COLUMN_DRAM, COLUMN_L1, COLUMN_STATUS };

/* clang-format off */
static const struct column columns[] = {
	[COLUMN_PID] =    { "PID",     8,  8,  false, put_pid,     FIELDS(PROCESS_FIELD(PID)) },
	[COLUMN_NAME] =   { "Name",    20, 17, false, put_label,   FIELDS(PROCESS_FIELD(NAME), PROCESS_FIELD(PROGRAM),
								PROCESS_FIELD(COMMAND)) },
	[COLUMN_DEVICE] = { "Device",  8,  7,  false, put_devices, FIELDS(DEVICE_FIELD(ID)) },
	[COLUMN_DRAM] =   { "DRAM",    12, 10, false, put_dram,    FIELDS(USAGE_FIELD(DRAM), USAGE_FIELD(EXACT)) },
	[COLUMN_L1] =     { "L1",      12, 9,  false, put_l1,      FIELDS(USAGE_FIELD(L1), USAGE_FIELD(EXACT)) },
	[COLUMN_STATUS] = { "Status",  38, 25, false, put_status,  FIELDS(USAGE_FIELD(DRAM), USAGE_FIELD(EXACT),
								USAGE_FIELD(TRACKING), PROCESS_FIELD(UID)) },
			  { "User",    10, 10, true,  put_user,    FIELDS(PROCESS_FIELD(USER)) },
			  { "Time",    10, 10, true,  put_elapsed, FIELDS(PROCESS_FIELD(ELAPSED)) },
			  { "Owner",   22, 22, true,  put_owner,   FIELDS(PROCESS_FIELD(OWNER)) },
			  { "Command", 30, 30, true,  put_command, FIELDS(PROCESS_FIELD(COMMAND)) },
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(columns) <= MAX_COLUMNS, "a plan holds all columns");

/* A line that is about no process of ours. */
static void put_other(struct boxed_table *box, const struct plan *plan, const char *const *cells)
{
	boxed_table_begin(box);
	for (size_t i = COLUMN_PID; i < COLUMN_STATUS; i++)
		boxed_table_cell(box, plan->widths[i], STYLE_DIM, cells[i]);
	boxed_table_cell(box, 0, STYLE_DIM, cells[COLUMN_STATUS]);
	boxed_table_end(box);
}

static void put_opens(struct boxed_table *box, const struct plan *plan, const struct device *dev,
		      const char *who, uint32_t times, const char *more)
{
	CLEANUP_BUF struct buf status = { 0 };

	if (!times)
		return;
	buf_printf(&status, "Device open (%u time%s%s)", times, times == 1 ? "" : "s", more);
	put_other(box, plan,
		  (const char *const[]){ "-", who, dev->id, "N/A", "N/A", buf_text(&status) });
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
	put_other(box, plan,
		  (const char *const[]){ buf_text(&pid), stale->name,
					 snapshot->devices[stale->device].id, buf_text(&dram),
					 buf_text(&l1), stale_usage_status(stale) });
}

/* Nobody, or nobody that we could see; a device that did not tell is named. */
static void put_nobody(struct boxed_table *box, const struct snapshot *snapshot)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, "No processes using Tenstorrent devices");
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		/* Chips without a node say nothing of their own, but may be all that is shown. */
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
		put_nobody(box, snapshot);
}

/* As wide as the longest status, if the line has the room: a reason comes before what is extra. */
static size_t status_width(const struct snapshot *snapshot, size_t room)
{
	size_t width = columns[COLUMN_STATUS].width;

	for (size_t i = 0; i < COLUMN_STATUS; i++)
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
	struct column fitted[ARRAY_SIZE(columns)];
	struct plan plan;

	memcpy(fitted, columns, sizeof(columns));
	fitted[COLUMN_STATUS].width = status_width(snapshot, room);
	plan = plan_columns(fitted, ARRAY_SIZE(fitted), room, NULL);
	boxed_table_rule(box, RULE_TOP);
	plan_put_headings(&plan, box);
	boxed_table_rule(box, RULE_MIDDLE);
	put_rows(box, &plan, snapshot);
	boxed_table_rule(box, RULE_BOTTOM);
}

void process_box_wants(size_t room, struct want *want)
{
	struct plan plan = plan_columns(columns, ARRAY_SIZE(columns), room, NULL);

	plan_want(&plan, want);
}
