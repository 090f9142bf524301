/*
 * The trays of a Galaxy and their devices, formatted like the vendor's tool: programs split its
 * rows at the box characters.
 */
#include "render/render.h"

#include <stdio.h>
#include <string.h>

enum { TRAYS = 4, COLUMNS = 3 };

struct tray {
	int bus; /* high digit of its PCI bus numbers, e.g. 0xC0; -1: none of its devices is present
		  */
	struct buf devices;
};

bool trays_exist(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (device_knows(&snapshot->devices[i], DEV_TRAY))
			return true;
	return false;
}

void trays_wants(struct want *want)
{
	want_add_list(want, FIELDS(DEVICE_FIELD(ID), DEVICE_FIELD(TRAY), DEVICE_FIELD(BDF)));
}

static void collect(struct tray *trays, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < TRAYS; i++)
		trays[i] = (struct tray){ .bus = -1 };
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		struct tray *tray;

		if (!device_has_node(dev) || !device_knows(dev, DEV_TRAY) || dev->tray < 1 ||
		    dev->tray > TRAYS)
			continue;
		tray = &trays[dev->tray - 1];
		buf_printf(&tray->devices, "%s%s", tray->devices.length ? "," : "", dev->id);
		tray->bus = device_bus(dev) & 0xF0;
	}
}

/* The characters of a horizontal rule. */
struct edges {
	const char *left, *line, *middle, *right;
};

static void put_rule(struct buf *out, const size_t *widths, const struct edges *edges)
{
	for (size_t c = 0; c < COLUMNS; c++) {
		buf_puts(out, c ? edges->middle : edges->left);
		for (size_t i = 0; i < widths[c] + 2; i++)
			buf_puts(out, edges->line);
	}
	buf_printf(out, "%s\n", edges->right);
}

static void put_cells(struct buf *out, const size_t *widths, const char *edge,
		      const char *const *cells)
{
	for (size_t c = 0; c < COLUMNS; c++)
		buf_printf(out, "%s %-*s ", edge, (int)widths[c], cells[c]);
	buf_printf(out, "%s\n", edge);
}

static void put_title(struct buf *out, const size_t *widths)
{
	static const char title[] = "Mapping of trays to devices on the galaxy:";
	size_t width = 1, length = sizeof(title) - 1;

	for (size_t c = 0; c < COLUMNS; c++)
		width += widths[c] + 3;
	buf_fill(out, ' ', (MAX(width, length) - length) / 2);
	buf_printf(out, "%s\n", title);
}

static void put_tray(struct buf *out, const size_t *widths, const char *edge, size_t number,
		     const struct tray *tray)
{
	char first[4], bus[8];

	snprintf(first, sizeof(first), "%zu", number);
	snprintf(bus, sizeof(bus), "0x%02x", (unsigned)tray->bus & 0xFF);
	put_cells(out, widths, edge, (const char *const[]){ first, bus, buf_text(&tray->devices) });
}

void trays_render(struct buf *out, const struct snapshot *snapshot, bool ascii)
{
	static const char *const headings[COLUMNS] = { "Tray Number", "Tray Bus ID",
						       "/dev/tenstorrent/<id>" };
	static const struct edges fine[] = { { "┏", "━", "┳", "┓" },
					     { "┡", "━", "╇", "┩" },
					     { "└", "─", "┴", "┘" } };
	static const struct edges plain = { "+", "-", "+", "+" };
	size_t widths[COLUMNS];
	struct tray trays[TRAYS];

	collect(trays, snapshot);
	for (size_t c = 0; c < COLUMNS; c++)
		widths[c] = strlen(headings[c]);
	for (size_t i = 0; i < TRAYS; i++)
		widths[COLUMNS - 1] = MAX(widths[COLUMNS - 1], trays[i].devices.length);
	put_title(out, widths);
	put_rule(out, widths, ascii ? &plain : &fine[0]);
	put_cells(out, widths, ascii ? "|" : "┃", headings);
	put_rule(out, widths, ascii ? &plain : &fine[1]);
	for (size_t i = 0; i < TRAYS; i++)
		if (trays[i].bus >= 0)
			put_tray(out, widths, ascii ? "|" : "│", i + 1, &trays[i]);
	put_rule(out, widths, ascii ? &plain : &fine[2]);
	for (size_t i = 0; i < TRAYS; i++)
		buf_done(&trays[i].devices);
}
