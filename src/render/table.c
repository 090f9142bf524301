/*
 * The default table: a box of devices, a box of processes, tips. 80 columns at
 * least; what a wider terminal has room for is added in the order of the columns.
 */
#include "render/table.h"

#include "render/render.h"
#include "render/tips.h"

#include <string.h>

/* What is wrong with a device that answers; those that do not say so in their row. */
static void put_troubles(struct buf *out, const struct render_options *options,
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
	put_troubles(out, options, snapshot);
	tips_put(out, options, snapshot);
}

void table_wants(const struct render_options *options, struct want *want)
{
	device_box_wants(box_room(options->columns), want);
	process_box_wants(box_room(options->columns), want);
	want_add_list(want, FIELDS(DEVICE_FIELD(HEALTH))); /* a line below, for each in trouble */
}
