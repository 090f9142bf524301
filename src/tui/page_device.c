/* The page of one device: its fields by section, and its processes. */
#include "tui/page_parts.h"

#include "render/field_text.h"
#include "render/format.h"
#include "render/lower_bound.h"
#include "render/render.h"
#include "tui/paint.h"

#include <string.h>

/* By section, in the order of their first field in the table. */
static void put_sections(struct buf *out, const struct device *dev)
{
	for (unsigned i = 0; i < device_fields.count; i++) {
		const char *section = device_fields.fields[i].section;

		if (!field_begins_section(&device_fields, i))
			continue;
		buf_printf(out, "%s\n", section);
		for (unsigned k = i; k < device_fields.count; k++)
			if (field_is_in_section(&device_fields, k, section))
				page_put_field(out, &device_fields, k, dev);
	}
}

static void put_holders(struct buf *out, const struct snapshot *snapshot, const struct device *dev)
{
	size_t position = (size_t)(dev - snapshot->devices);

	buf_puts(out, "PROCESSES\n");
	if (!device_knows(dev, DEV_PROCESSES))
		buf_printf(out, "  which processes use it is not known (%s)\n",
			   reason_text(dev->why[DEV_PROCESSES]));
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		const struct usage *usage = process_find_usage(process, position);
		char label[64];

		if (!usage)
			continue;
		process_label(process, label, sizeof(label));
		buf_printf(out, "  %-7d ", process->pid);
		page_put_cell(out, label, 21);
		if (usage->why[USE_DRAM] == KNOWN) {
			buf_puts(out, lower_bound_of_usage(usage, USE_DRAM, paint_is_utf8()));
			format_bytes(out, usage->bytes[POOL_DRAM]);
		} else if (process->role == ROLE_MONITOR) {
			buf_puts(out, role_names[process->role]);
		} else {
			buf_printf(out, "N/A (%s)", reason_text(usage->why[USE_DRAM]));
		}
		buf_putc(out, '\n');
	}
	for (size_t i = 0; i < snapshot->n_stale_usages; i++) {
		const struct stale_usage *stale = &snapshot->stale_usages[i];

		if (stale->device != position)
			continue;
		buf_printf(out, "  %-7d ", stale->pid);
		page_put_cell(out, stale->name, 21);
		format_bytes(out, stale->bytes[POOL_DRAM]);
		buf_printf(out, "  %s\n", stale_usage_status(stale));
	}
}

void page_put_device(struct buf *out, const struct ui *ui)
{
	const struct device *dev = ui_device(ui, ui->device);

	if (!dev)
		return;
	put_sections(out, dev);
	put_holders(out, ui_snapshot(ui), dev);
	for (size_t i = 0; i < ui_snapshot(ui)->n_problems; i++)
		buf_printf(out, "%s%s: %s\n", i ? "" : "PROBLEMS\n",
			   ui_snapshot(ui)->problems[i].source, ui_snapshot(ui)->problems[i].text);
}
