/*
 * All known values by device and section (-q), and one line per device (-L). Unknown values are
 * printed with the reason.
 */
#include "render/render.h"

#include "basic/text.h"
#include "render/field_text.h"
#include "render/format.h"

#include <stdio.h>
#include <string.h>

const char *const detail_sections[DETAIL_SECTIONS] = {
	"IDENTITY", "PCIE",   "TEMPERATURE", "POWER",	    "CLOCK",
	"FIRMWARE", "HEALTH", "MEMORY",	     "UTILIZATION", "PIDS",
};

static const char *const titles[DETAIL_SECTIONS] = {
	"Identity", "PCIe",   "Temperature", "Power",	    "Clocks",
	"Firmware", "Health", "Memory",	     "Utilization", "Processes",
};

enum { PIDS = DETAIL_SECTIONS - 1, LABEL_WIDTH = 34 };

bool detail_knows_section(const char *name, size_t length)
{
	for (size_t i = 0; i < DETAIL_SECTIONS; i++)
		if (strlen(detail_sections[i]) == length &&
		    strncasecmp(detail_sections[i], name, length) == 0)
			return true;
	return false;
}

static bool is_chosen(const char *list, const char *section)
{
	size_t length = strlen(section);

	while (list && *list) {
		size_t word = strcspn(list, ",");

		if (word == length && strncasecmp(list, section, length) == 0)
			return true;
		list += word;
		list += *list == ',';
	}
	return list == NULL;
}

/* All text is printed through this function, which removes control characters. */
static void put_line(struct buf *out, const struct render_options *options, unsigned depth,
		     const char *label, const char *text)
{
	int indent = (int)depth * 4;

	buf_printf(out, "%*s%-*s : ", indent, "", LABEL_WIDTH - indent, label);
	text_clean(out, text, strlen(text), options->utf8);
	buf_putc(out, '\n');
}

/* Amounts of memory are printed rounded and exactly: "2.4GB (2576980378 bytes)". */
static void put_value(struct buf *out, const struct render_options *options, unsigned depth,
		      const struct field_table *table, const struct value *value,
		      const void *object)
{
	CLEANUP_BUF struct buf raw = { 0 };

	if (value->why == KNOWN && value->field->unit == U_CELSIUS) {
		buf_printf(&raw, "%.1f C", value->number);
	} else if (value->why == KNOWN) {
		field_put_known(&raw, table, value, object, options->utf8);
		if (value->field->unit == U_BYTE)
			buf_printf(&raw, " (%llu bytes)", (unsigned long long)value->exact);
	} else if (value->why == NOT_APPLICABLE) {
		buf_puts(&raw, "-");
	} else {
		buf_printf(&raw, "N/A (%s)", reason_text(value->why));
	}
	put_line(out, options, depth, value->field->label, buf_text(&raw));
}

static void put_process(struct buf *out, const struct render_options *options,
			const struct process *process, const struct usage *usage)
{
	CLEANUP_BUF struct buf status = { 0 };
	struct value value;

	for (unsigned i = 0; i < process_fields.count; i++) {
		field_get(&process_fields, i, process, &value);
		if (i == PROC_PID || value.why != NOT_APPLICABLE)
			put_value(out, options, i == PROC_PID ? 2 : 3, &process_fields, &value,
				  process);
	}
	for (unsigned i = 0; i < usage_fields.count; i++) {
		field_get(&usage_fields, i, usage, &value);
		put_value(out, options, 3, &usage_fields, &value, usage);
	}
	status_text(&status, process);
	put_line(out, options, 3, "Status", buf_text(&status));
}

static void put_processes(struct buf *out, const struct render_options *options,
			  const struct snapshot *snapshot, size_t device)
{
	const struct device *dev = &snapshot->devices[device];

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct usage *usage = process_find_usage(&snapshot->processes[i], device);

		if (usage)
			put_process(out, options, &snapshot->processes[i], usage);
	}
	if (dev->unseen_holders > dev->lost_openers)
		buf_printf(out, "%8s%u open(s) by processes outside this pid namespace\n", "",
			   dev->unseen_holders - dev->lost_openers);
	if (dev->lost_openers)
		buf_printf(
			out,
			"%8s%u open(s) by a process that exited; the current holder is unknown\n",
			"", dev->lost_openers);
	for (size_t i = 0; i < snapshot->n_stale_usages; i++) {
		const struct stale_usage *stale = &snapshot->stale_usages[i];
		CLEANUP_BUF struct buf text = { 0 };

		if (stale->device != device)
			continue;
		buf_printf(&text, "pid %d (%s): DRAM ", stale->pid, stale->name);
		format_bytes(&text, stale->bytes[POOL_DRAM]);
		buf_puts(&text, ", L1 ");
		format_bytes(&text, stale->bytes[POOL_L1]);
		buf_printf(&text, ", %s, not counted", reason_text(stale->why));
		put_line(out, options, 2, "Left behind", buf_text(&text));
	}
}

static void put_section(struct buf *out, const struct render_options *options,
			const struct snapshot *snapshot, size_t device, size_t section)
{
	buf_printf(out, "%4s%s\n", "", titles[section]);
	for (unsigned i = 0; i < device_fields.count; i++) {
		const struct field *field = &device_fields.fields[i];
		struct value value;

		if (!field->section || strcmp(field->section, detail_sections[section]) != 0)
			continue;
		field_get(&device_fields, i, &snapshot->devices[device], &value);
		put_value(out, options, 2, &device_fields, &value, &snapshot->devices[device]);
	}
	if (section == PIDS)
		put_processes(out, options, snapshot, device);
}

void detail_render(struct buf *out, const struct render_options *options,
		   const struct snapshot *snapshot, const char *list)
{
	const struct host *host = &snapshot->host;

	buf_printf(out, "\n==============TTSMI LOG==============%s\n\n",
		   snapshot->simulated	? " SIMULATED"
		   : snapshot->recorded ? " RECORDED"
					: "");
	put_line(out, options, 0, "Timestamp", host->timestamp);
	put_line(out, options, 0, "Driver Version",
		 host->why[HOST_DRIVER] == KNOWN ? host->driver : "N/A");
	buf_printf(out, "%-*s : %u\n", LABEL_WIDTH, "Attached Devices", host->count);
	for (size_t i = 0; i < snapshot->n_problems; i++)
		put_line(out, options, 0, "Problem", snapshot->problems[i].text);
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		buf_printf(out, "\nDevice %s", dev->id);
		if (device_knows(dev, DEV_BDF) && strcmp(dev->bdf, dev->id) != 0)
			buf_printf(out, " %s", dev->bdf);
		buf_putc(out, '\n');
		for (size_t s = 0; s < DETAIL_SECTIONS; s++)
			if (is_chosen(list, detail_sections[s]))
				put_section(out, options, snapshot, i, s);
	}
}

void detail_wants(const char *list, struct want *want)
{
	for (unsigned i = 0; i < device_fields.count; i++) {
		const char *section = device_fields.fields[i].section;

		if (section && is_chosen(list, section))
			want_add(want, OF_DEVICE, i);
	}
	/* Needed for the "≥" before amounts that are lower bounds. */
	if (is_chosen(list, "UTILIZATION"))
		want_add_list(want, FIELDS(DEVICE_FIELD(MEMORY_COMPLETE)));
	if (is_chosen(list, detail_sections[PIDS])) {
		want_add_table(want, &process_fields);
		want_add_table(want, &usage_fields);
	}
}

void list_render(struct buf *out, const struct render_options *options,
		 const struct snapshot *snapshot)
{
	(void)options;
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		buf_printf(out, "GPU %s: %s%s%s (UUID: %s)", dev->id, arch_names[dev->arch],
			   device_knows(dev, DEV_BOARD) ? " " : "",
			   device_knows(dev, DEV_BOARD) ? dev->board : "",
			   device_knows(dev, DEV_UUID) ? dev->uuid : "N/A");
		if (device_knows(dev, DEV_BDF))
			buf_printf(out, " %s", dev->bdf);
		if (device_knows(dev, DEV_NODE))
			buf_printf(out, " %s", dev->node);
		if (device_knows(dev, DEV_TRAY))
			buf_printf(out, " tray %d chip %d", dev->tray, dev->chip);
		if (dev->state != DEVICE_OK)
			buf_printf(out, " (%s)", dev->health);
		buf_printf(out, "%s\n", snapshot->simulated ? " SIMULATED" : "");
	}
}

void list_wants(struct want *want)
{
	want_add_list(want, FIELDS(DEVICE_FIELD(NAME), DEVICE_FIELD(BOARD), DEVICE_FIELD(UUID),
				   DEVICE_FIELD(TRAY), DEVICE_FIELD(STATE)));
}
