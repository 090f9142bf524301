/*
 * The default table: a box of devices, a box of processes, tips. It needs 80 columns; optional
 * columns are added, in their order, if the terminal is wider.
 */
#include "render/table.h"

#include "render/render.h"
#include "render/tips.h"

#include <string.h>

/* Lists problems of the devices that can be read; the others show theirs in their row. */
static void put_unhealthy(struct buf *out, const struct render_options *options,
			  const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (dev->state != DEVICE_OK || strcmp(dev->health, "ok") == 0)
			continue;
		buf_printf(out, "\nDevice %s: ", dev->id);
		style_put(out, options, STYLE_BAD, dev->health);
		buf_putc(out, '\n');
	}
}

void table_render(struct buf *out, const struct render_options *options,
		  const struct snapshot *snapshot)
{
	struct boxed_table box = boxed_table_new(out, options);

	device_box(&box, snapshot);
	buf_puts(out, "\nProcesses:\n");
	process_box(&box, snapshot);
	put_unhealthy(out, options, snapshot);
	tips_put(out, options, snapshot);
}

void table_wants(const struct render_options *options, struct want *want)
{
	device_box_wants(box_room(options->columns), want);
	process_box_wants(box_room(options->columns), want);
	want_add_list(want, FIELDS(DEVICE_FIELD(HEALTH))); /* for the lines of put_unhealthy() */
	/* Only the figures of processes are compared with the capacity of L1. */
	if (want->single)
		fieldset_add(&want->if_used, DEV_FW_BUNDLE);
}
