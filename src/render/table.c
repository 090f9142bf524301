/*
 * The default table: a box of devices, a box of processes, tips. 80 columns at
 * least; what a wider terminal has room for is added in the order of the columns.
 */
#include "render/table.h"

#include "render/render.h"

#include <string.h>

static bool is_tracked(const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++)
		if (process->usages[i].why[USE_DRAM] == KNOWN)
			return true;
	return false;
}

/* What is wrong with a device that answers; those that do not say so in their row. */
static void put_troubles(struct buf *out, const struct look *look, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (dev->condition != DEVICE_OK || strcmp(dev->health, "ok") == 0)
			continue;
		buf_printf(out, "\nDevice %s: ", dev->id);
		tint_put(out, look, TINT_BAD, dev->health);
		buf_putc(out, '\n');
	}
}

static void put_tips(struct buf *out, const struct look *look, const struct snapshot *snapshot)
{
	size_t untracked = 0;

	for (size_t i = 0; i < snapshot->n_processes; i++)
		untracked += !is_tracked(&snapshot->processes[i]);
	if (!untracked)
		return;
	buf_printf(out,
		   "\n%sTIP: the memory of %zu process%s is not tracked; see\n"
		   "   \"Process shows but no memory\" in the README\n",
		   look->utf8 ? "💡 " : "", untracked, untracked == 1 ? "" : "es");
}

void table_render(struct buf *out, const struct look *look, const struct snapshot *snapshot)
{
	struct sheet sheet = sheet_new(out, look);

	device_box(&sheet, snapshot);
	buf_puts(out, "\nProcesses:\n");
	process_box(&sheet, snapshot);
	put_troubles(out, look, snapshot);
	put_tips(out, look, snapshot);
}

void table_wants(const struct look *look, struct want *want)
{
	device_box_wants(box_room(look->columns), want);
	process_box_wants(box_room(look->columns), want);
}
