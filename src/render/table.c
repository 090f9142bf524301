/*
 * The default table: a box of devices, a box of processes, tips. 80 columns at
 * least; what a wider terminal has room for is added in the order of the tables
 * below.
 */
#include "render/render.h"

#include "basic/clock.h"
#include "render/format.h"
#include "render/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A column: who writes a cell, how wide it is, and how wide when space is short. */
struct column {
	const char *heading;
	size_t width, narrow;
	bool extra; /* only if there is room */
	void (*put)(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		    const void *row);
	enum device_field fields[3]; /* that a device column reads; DEV_ID ends them */
	enum process_field process_field;
};

enum { MAX_COLUMNS = 16 };

/* The columns of one box as they fit this line; widths by column, 0: left out. */
struct plan {
	size_t widths[MAX_COLUMNS];
};

static void cell(struct sheet *sheet, size_t width, enum tint tint, struct buf *text)
{
	sheet_cell(sheet, width, tint, buf_text(text));
}

static void cell_na(struct sheet *sheet, size_t width)
{
	sheet_cell(sheet, width, TINT_DIM, "N/A");
}

/* ---- devices ---- */

static void put_id(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		   const void *row)
{
	const struct device *dev = row;

	(void)snapshot;
	sheet_cell(sheet, width, TINT_NONE, dev->id);
}

static void put_name(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		     const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row;

	(void)snapshot;
	buf_puts(&text, dev->name);
	if (device_knows(dev, DEV_BOARD) && dev->type && dev->type->galaxy)
		buf_puts(&text, " galaxy");
	else if (device_knows(dev, DEV_BOARD))
		buf_printf(&text, " %s", dev->board);
	cell(sheet, width, TINT_BOLD, &text);
}

static void put_temp(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		     const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row;
	enum tint tint = TINT_NONE;

	(void)snapshot;
	if (!device_knows(dev, DEV_TEMPERATURE)) {
		cell_na(sheet, width);
		return;
	}
	if (device_knows(dev, DEV_TEMPERATURE_HEADROOM))
		tint = dev->temperature_headroom <= 0	 ? TINT_BAD
		       : dev->temperature_headroom <= 10 ? TINT_WARN
							 : TINT_NONE;
	buf_printf(&text, "%.0f%sC", dev->temperature, sheet->look->utf8 ? "°" : "");
	cell(sheet, width, tint, &text);
}

static void put_power(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		      const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row;
	enum tint tint = TINT_NONE;

	(void)snapshot;
	if (!device_knows(dev, DEV_POWER)) {
		cell_na(sheet, width);
		return;
	}
	buf_printf(&text, "%.0fW", dev->power);
	if (device_knows(dev, DEV_POWER_LIMIT) && dev->power_limit > 0) {
		buf_printf(&text, "/%.0fW", dev->power_limit);
		tint = dev->power >= dev->power_limit	      ? TINT_BAD
		       : dev->power >= 0.9 * dev->power_limit ? TINT_WARN
							      : TINT_NONE;
	}
	cell(sheet, width, tint, &text);
}

/* A chip that gives no answer has the rest of the line for saying so. */
static bool put_condition(struct sheet *sheet, const struct device *dev)
{
	switch (dev->condition) {
	case DEVICE_OK:
	case DEVICE_NO_TELEMETRY: return false;
	case DEVICE_RESETTING: sheet_cell(sheet, 0, TINT_WARN, "resetting"); break;
	case DEVICE_TIMED_OUT: sheet_cell(sheet, 0, TINT_BAD, "timed out"); break;
	case DEVICE_NOT_ANSWERING: sheet_cell(sheet, 0, TINT_BAD, "chip not answering"); break;
	case DEVICE_LOST: sheet_cell(sheet, 0, TINT_BAD, "device lost"); break;
	case DEVICE_UNREADABLE:
		if (device_knows(dev, DEV_DRAM_USED) && dev->dram_used)
			return false;
		sheet_cell(sheet, 0, TINT_DIM, "not readable (no PCIe)");
		break;
	}
	return true;
}

static void put_memory(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		       const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row;

	(void)snapshot;
	if (put_condition(sheet, dev))
		return;
	if (!device_knows(dev, DEV_DRAM_USED)) {
		cell_na(sheet, width);
		return;
	}
	if (!dev->memory_complete)
		buf_puts(&text, sheet->look->utf8 ? "≥" : ">");
	format_bytes(&text, dev->dram_used);
	if (device_knows(dev, DEV_DRAM_TOTAL)) {
		buf_putc(&text, '/');
		format_bytes(&text, dev->dram_total);
	}
	cell(sheet, width, TINT_NONE, &text);
}

static void put_bar(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		    const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row;
	size_t room = MIN(width ? width : sheet_left(sheet), sheet_left(sheet)), cells, full;
	bool utf8 = sheet->look->utf8;
	enum tint tint;

	(void)snapshot;
	if (!device_knows(dev, DEV_MEMORY_RATIO) || room < 10) {
		sheet_cell(sheet, width, TINT_NONE, "");
		return;
	}
	cells = MIN(room - 7, 20);
	full = (size_t)lround(dev->memory_ratio * (double)cells);
	buf_putc(&text, '[');
	for (size_t i = 0; i < cells; i++)
		buf_puts(&text, i < full ? (utf8 ? "█" : "#") : (utf8 ? "░" : "."));
	buf_printf(&text, "] %3.0f%%", dev->memory_ratio * 100);
	tint = dev->memory_ratio >= 0.9	   ? TINT_BAD
	       : dev->memory_ratio >= 0.75 ? TINT_WARN
					   : TINT_GOOD;
	cell(sheet, width, tint, &text);
}

static void put_compute(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
			const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row;

	(void)snapshot;
	if (!device_knows(dev, DEV_COMPUTE)) {
		cell_na(sheet, width);
		return;
	}
	buf_printf(&text, "%.0f%%", dev->compute * 100);
	cell(sheet, width, TINT_NONE, &text);
}

static void put_aiclk(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		      const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row;

	(void)snapshot;
	if (!device_knows(dev, DEV_AICLK)) {
		cell_na(sheet, width);
		return;
	}
	buf_printf(&text, "%.0fMHz", (double)dev->aiclk / 1e6);
	cell(sheet, width, TINT_NONE, &text);
}

static void put_link(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		     const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row;

	(void)snapshot;
	if (!device_knows(dev, DEV_LINK_GEN) || !device_knows(dev, DEV_LINK_WIDTH)) {
		cell_na(sheet, width);
		return;
	}
	buf_printf(&text, "%ux%u", dev->link_gen, dev->link_width);
	cell(sheet, width, TINT_NONE, &text);
}

static void put_rates(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		      const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row;

	(void)snapshot;
	if (!device_knows(dev, DEV_PCIE_RX)) {
		cell_na(sheet, width);
		return;
	}
	format_rate(&text, dev->pcie_rx);
	buf_putc(&text, ' ');
	format_rate(&text, dev->pcie_tx);
	cell(sheet, width, TINT_NONE, &text);
}

static void put_fan(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		    const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = row;

	(void)snapshot;
	if (!device_knows(dev, DEV_FAN_RPM)) {
		cell_na(sheet, width);
		return;
	}
	buf_printf(&text, "%urpm", dev->fan_rpm);
	cell(sheet, width, TINT_NONE, &text);
}

static void put_health(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		       const void *row)
{
	const struct device *dev = row;

	(void)snapshot;
	sheet_cell(sheet, width, strcmp(dev->health, "ok") == 0 ? TINT_GOOD : TINT_BAD,
		   dev->health);
}

/* clang-format off */
static const struct column device_columns[] = {
	{ "GPU",          4,  4,  false, put_id,      { 0 }, 0 },
	{ "Name",         19, 19, false, put_name,    { DEV_BOARD }, 0 },
	{ "Temp",         8,  6,  false, put_temp,    { DEV_TEMPERATURE, DEV_TEMPERATURE_LIMIT }, 0 },
	{ "Power",        12, 10, false, put_power,   { DEV_POWER, DEV_POWER_LIMIT }, 0 },
	{ "Memory-Usage", 18, 17, false, put_memory,  { 0 }, 0 },
	{ "Utilization",  28, 20, false, put_bar,     { 0 }, 0 },
	{ "Compute",      9,  9,  true,  put_compute, { 0 }, 0 },
	{ "AICLK",        10, 10, true,  put_aiclk,   { DEV_AICLK }, 0 },
	{ "PCIe",         6,  6,  true,  put_link,    { DEV_LINK_GEN, DEV_LINK_WIDTH }, 0 },
	{ "Rx/Tx",        20, 20, true,  put_rates,   { 0 }, 0 },
	{ "Fan",          9,  9,  true,  put_fan,     { DEV_FAN_RPM }, 0 },
	{ "Health",       20, 20, true,  put_health,  { DEV_HEARTBEAT, DEV_THERMAL_TRIPS }, 0 },
};
/* clang-format on */

/* ---- processes ---- */

static void put_pid(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		    const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct process *process = row;

	(void)snapshot;
	buf_printf(&text, "%d", process->pid);
	cell(sheet, width, TINT_NONE, &text);
}

static void put_label(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		      const void *row)
{
	char text[160];

	(void)snapshot;
	process_label(row, text, sizeof(text));
	sheet_cell(sheet, width, TINT_BOLD, text);
}

/* "0,1", "0-15", "0R": runs of neighbours are joined. */
static void put_devices(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
			const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct process *process = row;
	size_t n = process->n_usages;

	for (size_t i = 0; i < n;) {
		size_t from = process->usages[i].device, last = i;

		while (last + 1 < n &&
		       process->usages[last + 1].device == process->usages[last].device + 1 &&
		       !snapshot->devices[process->usages[last + 1].device].remote)
			last++;
		buf_printf(&text, "%s%s", i ? "," : "", snapshot->devices[from].id);
		if (last > i)
			buf_printf(&text, "%c%s", last > i + 1 ? '-' : ',',
				   snapshot->devices[process->usages[last].device].id);
		i = last + 1;
	}
	cell(sheet, width, TINT_NONE, &text);
}

/* The sum over its devices; "≥" if one of them is not known. */
static void put_sum(struct sheet *sheet, size_t width, const struct process *process,
		    enum usage_field field)
{
	CLEANUP_BUF struct buf text = { 0 };
	uint64_t sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < process->n_usages; i++) {
		struct value value;

		field_get(&usage_fields, field, &process->usages[i], &value);
		known += value.why == KNOWN;
		sum += value.why == KNOWN ? value.exact : 0;
	}
	if (!known) {
		cell_na(sheet, width);
		return;
	}
	if (known < process->n_usages)
		buf_puts(&text, sheet->look->utf8 ? "≥" : ">");
	format_bytes(&text, sum);
	cell(sheet, width, TINT_NONE, &text);
}

static void put_dram(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		     const void *row)
{
	(void)snapshot;
	put_sum(sheet, width, row, USE_DRAM);
}

static void put_l1(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		   const void *row)
{
	(void)snapshot;
	put_sum(sheet, width, row, USE_L1);
}

static void put_status(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		       const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };

	(void)snapshot;
	status_text(&text, row);
	cell(sheet, width, TINT_NONE, &text);
}

static void put_process_text(struct sheet *sheet, size_t width, const struct process *process,
			     enum process_field field)
{
	struct value value;

	field_get(&process_fields, field, process, &value);
	if (value.why == KNOWN)
		sheet_cell(sheet, width, TINT_NONE, value.text);
	else if (value.why == NOT_APPLICABLE)
		sheet_cell(sheet, width, TINT_NONE, "-");
	else
		cell_na(sheet, width);
}

static void put_user(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		     const void *row)
{
	(void)snapshot;
	put_process_text(sheet, width, row, PROC_USER);
}

static void put_elapsed(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
			const void *row)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct process *process = row;

	(void)snapshot;
	if (!process_knows(process, PROC_ELAPSED)) {
		cell_na(sheet, width);
		return;
	}
	format_duration(&text, process->elapsed);
	cell(sheet, width, TINT_NONE, &text);
}

static void put_owner(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
		      const void *row)
{
	(void)snapshot;
	put_process_text(sheet, width, row, PROC_OWNER);
}

static void put_command(struct sheet *sheet, size_t width, const struct snapshot *snapshot,
			const void *row)
{
	(void)snapshot;
	put_process_text(sheet, width, row, PROC_COMMAND);
}

/* clang-format off */
static const struct column process_columns[] = {
	{ "PID",     8,  8,  false, put_pid,     { 0 }, PROC_PID },
	{ "Name",    20, 17, false, put_label,   { 0 }, PROC_NAME },
	{ "Device",  8,  7,  false, put_devices, { 0 }, PROC_PID },
	{ "DRAM",    12, 10, false, put_dram,    { 0 }, PROC_PID },
	{ "L1",      12, 9,  false, put_l1,      { 0 }, PROC_PID },
	{ "Status",  38, 25, false, put_status,  { 0 }, PROC_UID },
	{ "User",    10, 10, true,  put_user,    { 0 }, PROC_USER },
	{ "Time",    10, 10, true,  put_elapsed, { 0 }, PROC_ELAPSED },
	{ "Owner",   22, 22, true,  put_owner,   { 0 }, PROC_OWNER },
	{ "Command", 30, 30, true,  put_command, { 0 }, PROC_COMMAND },
};
/* clang-format on */

/* ---- the sheet ---- */

/* Extra columns as long as they fit; narrow ones if even the plain do not. */
static struct plan plan_columns(const struct column *columns, size_t count, size_t room,
				const bool *skip)
{
	struct plan plan = { .widths = { 0 } };
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (!columns[i].extra)
			used += columns[i].width;
	for (size_t i = 0; i < count; i++) {
		if (!columns[i].extra) {
			plan.widths[i] = used > room ? columns[i].narrow : columns[i].width;
		} else if (!(skip && skip[i]) && used + columns[i].width <= room) {
			plan.widths[i] = columns[i].width;
			used += columns[i].width;
		}
	}
	return plan;
}

/* Does the last column of the plan take the rest of the line? It does. */
static size_t plan_last(const struct plan *plan, size_t count)
{
	size_t last = 0;

	for (size_t i = 0; i < count; i++)
		if (plan->widths[i])
			last = i;
	return last;
}

static void put_headings(struct sheet *sheet, const struct column *columns, size_t count,
			 const struct plan *plan)
{
	sheet_begin(sheet);
	for (size_t i = 0; i < count; i++)
		if (plan->widths[i])
			sheet_cell(sheet, i == plan_last(plan, count) ? 0 : plan->widths[i],
				   TINT_NONE, columns[i].heading);
	sheet_end(sheet);
}

static void put_row(struct sheet *sheet, const struct column *columns, size_t count,
		    const struct plan *plan, const struct snapshot *snapshot, const void *row)
{
	sheet_begin(sheet);
	for (size_t i = 0; i < count && sheet_left(sheet); i++)
		if (plan->widths[i])
			columns[i].put(sheet, i == plan_last(plan, count) ? 0 : plan->widths[i],
				       snapshot, row);
	sheet_end(sheet);
}

static void put_title(struct sheet *sheet, const struct snapshot *snapshot)
{
	time_t seconds = (time_t)(snapshot->wall_ns / NS_PER_S);
	CLEANUP_BUF struct buf text = { 0 };
	char date[32];
	struct tm local;
	size_t left;

	localtime_r(&seconds, &local);
	strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", &local);
	buf_printf(&text, "tt-smi %s   driver %s", sheet->look->version,
		   snapshot->host.why[HOST_DRIVER] == KNOWN ? snapshot->host.driver : "N/A");
	if (snapshot->simulated)
		buf_puts(&text, "   SIMULATED");
	else if (snapshot->recorded)
		buf_puts(&text, "   RECORDED");
	sheet_begin(sheet);
	left = sheet_left(sheet) - strlen(date);
	sheet_cell(sheet, left, TINT_BOLD, buf_text(&text));
	sheet_cell(sheet, 0, TINT_NONE, date);
	sheet_end(sheet);
}

static bool any_compute(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (device_knows(&snapshot->devices[i], DEV_COMPUTE))
			return true;
	return false;
}

static void put_device_box(struct sheet *sheet, const struct snapshot *snapshot)
{
	enum { COMPUTE = 6 };
	static const size_t count = ARRAY_SIZE(device_columns);
	bool skip[ARRAY_SIZE(device_columns)] = { [COMPUTE] = !any_compute(snapshot) };
	struct plan plan = plan_columns(device_columns, count, sheet->inner - 2, skip);

	sheet_rule(sheet, RULE_TOP);
	put_title(sheet, snapshot);
	sheet_rule(sheet, RULE_MIDDLE);
	put_headings(sheet, device_columns, count, &plan);
	sheet_rule(sheet, RULE_MIDDLE);
	for (size_t i = 0; i < snapshot->n_devices; i++)
		put_row(sheet, device_columns, count, &plan, snapshot, &snapshot->devices[i]);
	sheet_rule(sheet, RULE_BOTTOM);
}

/* Holders that have no process of ours to show. */
static void put_unseen(struct sheet *sheet, const struct plan *plan, const struct device *dev)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_printf(&text, "Device open (%u open%s)", dev->unseen_holders,
		   dev->unseen_holders == 1 ? "" : "s");
	sheet_begin(sheet);
	sheet_cell(sheet, plan->widths[0], TINT_DIM, "-");
	sheet_cell(sheet, plan->widths[1], TINT_DIM, "outside namespace");
	sheet_cell(sheet, plan->widths[2], TINT_NONE, dev->id);
	cell_na(sheet, plan->widths[3]);
	cell_na(sheet, plan->widths[4]);
	cell(sheet, 0, TINT_NONE, &text);
	sheet_end(sheet);
}

static void put_leftover(struct sheet *sheet, const struct plan *plan,
			 const struct snapshot *snapshot, const struct leftover *leftover)
{
	CLEANUP_BUF struct buf pid = { 0 }, dram = { 0 }, l1 = { 0 };

	buf_printf(&pid, "%d", leftover->pid);
	format_bytes(&dram, leftover->dram);
	format_bytes(&l1, leftover->l1);
	sheet_begin(sheet);
	cell(sheet, plan->widths[0], TINT_DIM, &pid);
	sheet_cell(sheet, plan->widths[1], TINT_DIM, leftover->name);
	sheet_cell(sheet, plan->widths[2], TINT_DIM, snapshot->devices[leftover->device].id);
	cell(sheet, plan->widths[3], TINT_DIM, &dram);
	cell(sheet, plan->widths[4], TINT_DIM, &l1);
	sheet_cell(sheet, 0, TINT_DIM,
		   leftover->why == STALE ? "Stale (process gone), not counted"
					  : "Not visible here, not counted");
	sheet_end(sheet);
}

/* Why there is no process to show; a device that did not tell is named. */
static void put_nobody(struct sheet *sheet, const struct snapshot *snapshot)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, "No processes using Tenstorrent devices");
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (dev->remote || dev->holders_known)
			continue;
		buf_printf(&text, " are visible (device %s: %s)", dev->id,
			   reason_text(dev->holders_why));
		break;
	}
	sheet_begin(sheet);
	cell(sheet, 0, TINT_DIM, &text);
	sheet_end(sheet);
}

static void put_process_box(struct sheet *sheet, const struct snapshot *snapshot)
{
	static const size_t count = ARRAY_SIZE(process_columns);
	struct plan plan = plan_columns(process_columns, count, sheet->inner - 2, NULL);
	bool any = snapshot->n_processes || snapshot->n_leftovers;

	buf_puts(sheet->out, "\nProcesses:\n");
	sheet_rule(sheet, RULE_TOP);
	put_headings(sheet, process_columns, count, &plan);
	sheet_rule(sheet, RULE_MIDDLE);
	for (size_t i = 0; i < snapshot->n_processes; i++)
		put_row(sheet, process_columns, count, &plan, snapshot, &snapshot->processes[i]);
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		if (snapshot->devices[i].unseen_holders) {
			put_unseen(sheet, &plan, &snapshot->devices[i]);
			any = true;
		}
	}
	for (size_t i = 0; i < snapshot->n_leftovers; i++)
		put_leftover(sheet, &plan, snapshot, &snapshot->leftovers[i]);
	if (!any)
		put_nobody(sheet, snapshot);
	sheet_rule(sheet, RULE_BOTTOM);
}

static size_t count_untracked(const struct snapshot *snapshot)
{
	size_t count = 0;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		size_t known = 0;

		for (size_t k = 0; k < process->n_usages; k++)
			known += process->usages[k].why[USE_DRAM] == KNOWN;
		count += known == 0;
	}
	return count;
}

static void put_tips(struct buf *out, const struct look *look, const struct snapshot *snapshot)
{
	const char *sign = look->utf8 ? "💡 " : "";
	size_t untracked = count_untracked(snapshot);

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (dev->condition == DEVICE_OK && strcmp(dev->health, "ok") != 0) {
			buf_printf(out, "\nDevice %s: ", dev->id);
			tint_put(out, look, TINT_BAD, dev->health);
			buf_putc(out, '\n');
		}
	}
	if (untracked)
		buf_printf(out,
			   "\n%sTIP: the memory of %zu process%s is not tracked; see "
			   "\"Process shows but no memory\" in the README\n",
			   sign, untracked, untracked == 1 ? "" : "es");
}

void table_render(struct buf *out, const struct look *look, const struct snapshot *snapshot)
{
	struct sheet sheet = sheet_new(out, look);

	put_device_box(&sheet, snapshot);
	put_process_box(&sheet, snapshot);
	put_tips(out, look, snapshot);
}

void table_wants(const struct look *look, struct want *want)
{
	size_t room = look->columns - 4;
	struct plan devices = plan_columns(device_columns, ARRAY_SIZE(device_columns), room, NULL);
	struct plan processes =
		plan_columns(process_columns, ARRAY_SIZE(process_columns), room, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(device_columns); i++) {
		if (!devices.widths[i])
			continue;
		for (size_t k = 0; k < 3 && device_columns[i].fields[k]; k++)
			fieldset_add(&want->device, device_columns[i].fields[k]);
		if (device_columns[i].put == put_rates)
			for (unsigned c = 0; c < DEVICE_COUNTERS; c++)
				fieldset_add(&want->device, DEV_COUNTER + c);
	}
	for (size_t i = 0; i < ARRAY_SIZE(process_columns); i++)
		if (processes.widths[i])
			fieldset_add(&want->process, process_columns[i].process_field);
	want->processes = want->memory = want->utilization = true;
}
