#include "render/monitor_lines.h"

#include "basic/macros.h"
#include "basic/text.h"
#include "render/field_text.h"
#include "render/format.h"

#include <stdio.h>
#include <string.h>

struct monitor_column {
	char group;
	const char *heading, *unit;
	int width;
	enum fields_of of; /* OF_NOTHING: a column of nvidia-smi without a meaning here */
	unsigned field;
};

/* clang-format off */
static const struct monitor_column device_columns[] = {
	{ 'p', "pwr", "W", 6, OF_DEVICE, DEV_POWER },
	{ 'p', "gtemp", "C", 6, OF_DEVICE, DEV_TEMPERATURE },
	{ 'p', "mtemp", "C", 6, OF_NOTHING, 0 },
	{ 'u', "sm", "%", 6, OF_DEVICE, DEV_DISPATCH },
	{ 'u', "mem", "%", 6, OF_DEVICE, DEV_MEMORY_RATIO },
	{ 'u', "enc", "%", 6, OF_NOTHING, 0 },
	{ 'u', "dec", "%", 6, OF_NOTHING, 0 },
	{ 'u', "jpg", "%", 6, OF_NOTHING, 0 },
	{ 'u', "ofa", "%", 6, OF_NOTHING, 0 },
	{ 'c', "mclk", "MHz", 6, OF_NOTHING, 0 },
	{ 'c', "pclk", "MHz", 6, OF_DEVICE, DEV_AICLK },
	{ 'v', "pviol", "%", 6, OF_NOTHING, 0 },
	{ 'v', "tviol", "bool", 6, OF_NOTHING, 0 },
	{ 'm', "fb", "MB", 6, OF_DEVICE, DEV_DRAM_USED },
	{ 'm', "bar1", "MB", 6, OF_NOTHING, 0 },
	{ 'm', "ccpm", "MB", 6, OF_NOTHING, 0 },
	{ 'e', "sbecc", "errs", 6, OF_NOTHING, 0 },
	{ 'e', "dbecc", "errs", 6, OF_NOTHING, 0 },
	{ 'e', "pci", "errs", 6, OF_DEVICE, DEV_ERRORS_CORRECTABLE },
	{ 't', "rxpci", "MB/s", 6, OF_DEVICE, DEV_PCIE_RX },
	{ 't', "txpci", "MB/s", 6, OF_DEVICE, DEV_PCIE_TX },
	{ 'x', "bound", "of sm", 6, OF_DEVICE, DEV_BOUND },
	{ 'x', "progs", "1/s", 6, OF_DEVICE, DEV_PROGRAMS },
	{ 'x', "last", "s", 6, OF_DEVICE, DEV_LAST_PROGRAM },
	{ 'x', "quiet", "s", 6, OF_DEVICE, DEV_QUIET },
	{ 'x', "l1", "MB", 6, OF_DEVICE, DEV_L1_USED },
};

static const struct monitor_column process_columns[] = {
	{ 'u', "sm", "%", 5, OF_USAGE, USE_UTILIZATION },
	{ 'u', "mem", "%", 5, OF_NOTHING, 0 },
	{ 'u', "enc", "%", 5, OF_NOTHING, 0 },
	{ 'u', "dec", "%", 5, OF_NOTHING, 0 },
	{ 'u', "jpg", "%", 5, OF_NOTHING, 0 },
	{ 'u', "ofa", "%", 5, OF_NOTHING, 0 },
	{ 'm', "fb", "MB", 6, OF_USAGE, USE_DRAM },
	{ 'm', "ccpm", "MB", 6, OF_NOTHING, 0 },
	{ 'x', "bound", "of sm", 6, OF_USAGE, USE_BOUND },
	{ 'x', "progs", "1/s", 6, OF_USAGE, USE_PROGRAMS },
	{ 'x', "last", "s", 6, OF_USAGE, USE_LAST_PROGRAM },
	{ 'x', "quiet", "s", 6, OF_PROCESS, PROC_QUIET },
	{ 'x', "l1", "MB", 6, OF_USAGE, USE_L1 },
};
/* clang-format on */

static const struct {
	const struct monitor_column *columns;
	size_t count;
	const char *groups;
} kinds[MONITOR_N] = {
	[MONITOR_DEVICES] = { device_columns, ARRAY_SIZE(device_columns), "pucvmetx" },
	[MONITOR_PROCESSES] = { process_columns, ARRAY_SIZE(process_columns), "umx" },
};

const char *const monitor_default_groups[MONITOR_N] = {
	[MONITOR_DEVICES] = "puc",
	[MONITOR_PROCESSES] = "u",
};

const char *monitor_groups(enum monitor_kind kind)
{
	return kinds[kind].groups;
}

/* The next column that is shown, from this one on; NULL: there is none. */
static const struct monitor_column *next_column(const struct monitor *monitor,
						const struct monitor_column *column)
{
	const struct monitor_column *end =
		kinds[monitor->kind].columns + kinds[monitor->kind].count;

	while (column < end && !strchr(monitor->groups, column->group))
		column++;
	return column < end ? column : NULL;
}

#define EACH_COLUMN(monitor, column)                                         \
	for (const struct monitor_column *column =                           \
		     next_column((monitor), kinds[(monitor)->kind].columns); \
	     column; (column) = next_column((monitor), (column) + 1))

void monitor_wants(const struct monitor *monitor, struct want *want)
{
	want_add_list(want, FIELDS(DEVICE_FIELD(ID)));
	if (monitor->kind == MONITOR_PROCESSES)
		want_add_list(want, FIELDS(PART(PROCESSES), PROCESS_FIELD(PID), PROCESS_FIELD(NAME),
					   PROCESS_FIELD(COMMAND), PROCESS_FIELD(ROLE)));
	EACH_COLUMN(monitor, column)
	if (column->of != OF_NOTHING)
		want_add(want, column->of, column->field);
}

static void put_header_line(struct buf *out, const struct monitor *monitor, bool units)
{
	buf_putc(out, '#');
	if (monitor->date)
		buf_puts(out, units ? "YYYYMMDD " : "Date     ");
	if (monitor->time)
		buf_puts(out, units ? "HH:MM:SS " : "Time     ");
	buf_puts(out, units ? " Idx" : " gpu");
	if (monitor->kind == MONITOR_PROCESSES)
		buf_puts(out, units ? "          #  C/M" : "        pid type");
	EACH_COLUMN(monitor, column)
	buf_printf(out, " %*s", column->width, units ? column->unit : column->heading);
	if (monitor->kind == MONITOR_PROCESSES)
		buf_puts(out, units ? "   name" : "   command");
	buf_putc(out, '\n');
}

void monitor_render_header(struct buf *out, const struct monitor *monitor)
{
	put_header_line(out, monitor, false);
	put_header_line(out, monitor, true);
}

/* From the time of the sample, "2026/11/18 04:23:44.123". */
static void put_time(struct buf *out, const struct monitor *monitor, const struct host *host)
{
	const char *stamp = host->timestamp;

	buf_putc(out, ' ');
	if (monitor->date)
		buf_printf(out, "%.4s%.2s%.2s ", stamp, stamp + 5, stamp + 8);
	if (monitor->time)
		buf_printf(out, "%.8s ", stamp + 11);
}

static void put_value(struct buf *out, const struct monitor_column *column,
		      const struct value *value)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (value->why != KNOWN)
		buf_putc(&text, '-');
	else if (value->text)
		buf_puts(&text, value->text);
	else
		format_whole(&text, value->number / unit_infos[value->field->unit].csv_scale);
	buf_printf(out, " %*s", column->width, buf_text(&text));
}

/* process and usage are NULL in lines of devices, and of devices without processes. */
static void put_columns(struct buf *out, const struct monitor *monitor, const struct device *dev,
			const struct process *process, const struct usage *usage)
{
	EACH_COLUMN(monitor, column)
	{
		const struct field_table *table = column->of == OF_DEVICE    ? &device_fields
						  : column->of == OF_PROCESS ? &process_fields
									     : &usage_fields;
		const void *object = column->of == OF_DEVICE	? (const void *)dev
				     : column->of == OF_PROCESS ? (const void *)process
				     : column->of == OF_USAGE	? (const void *)usage
								: NULL;
		struct value value = { .why = NEVER_OFFERED };

		if (object)
			field_get(table, column->field, object, &value);
		if (value.why == KNOWN)
			field_round_bound(table, object, &value);
		put_value(out, column, &value);
	}
}

static void put_device(struct buf *out, const struct monitor *monitor, const struct device *dev)
{
	buf_printf(out, "%4s", dev->id);
	put_columns(out, monitor, dev, NULL, NULL);
	buf_putc(out, '\n');
}

static void put_process(struct buf *out, const struct render_options *options,
			const struct monitor *monitor, const struct device *dev,
			const struct process *process, const struct usage *usage)
{
	char label[64], pid[16] = "-";

	if (process_knows(process, PROC_PID))
		snprintf(pid, sizeof(pid), "%d", process->pid);
	process_label(process, label, sizeof(label));
	buf_printf(out, "%4s %10s %4s", dev->id, pid, process->role == ROLE_MONITOR ? "M" : "C");
	put_columns(out, monitor, dev, process, usage);
	buf_puts(out, "   ");
	text_clean(out, label, strlen(label), options->utf8);
	buf_putc(out, '\n');
}

/* A device without processes has a line with its number. */
static void put_processes(struct buf *out, const struct render_options *options,
			  const struct monitor *monitor, const struct snapshot *snapshot,
			  size_t device)
{
	const struct device *dev = &snapshot->devices[device];
	bool empty = true;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];

		for (size_t k = 0; k < process->n_usages; k++) {
			if (process->usages[k].device != device)
				continue;
			put_time(out, monitor, &snapshot->host);
			put_process(out, options, monitor, dev, process, &process->usages[k]);
			empty = false;
		}
	}
	if (!empty)
		return;
	put_time(out, monitor, &snapshot->host);
	buf_printf(out, "%4s %10s %4s", dev->id, "-", "-");
	put_columns(out, monitor, dev, NULL, NULL);
	buf_puts(out, "   -\n");
}

void monitor_render(struct buf *out, const struct render_options *options,
		    const struct monitor *monitor, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		if (monitor->kind == MONITOR_PROCESSES) {
			put_processes(out, options, monitor, snapshot, i);
			continue;
		}
		put_time(out, monitor, &snapshot->host);
		put_device(out, monitor, &snapshot->devices[i]);
	}
}
